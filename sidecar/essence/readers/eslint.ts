/** ESLint in its default form and as JSON. Warnings count only where nothing else fails. */
import { joinMessage } from '../failure-text.ts';
import type { OutputError, Reader, WorkspacePaths } from '../types.ts';
import { isRecord, parseJson } from '../../values/json.ts';

const PROBLEM = /^ {2}(\d+):\d+ +(error|warning) {2}(.+?)(?: {2,}(\S+))?$/;

export const eslintReader: Reader = {
  runner: 'ESLint',
  recognises: ({ lines }) =>
    lines.some((line) => /^✖ \d+ problems? \(/.test(line) || line.startsWith('[{"filePath":')),
  read({ lines, paths }) {
    const found = lines.flatMap((line) => (line.startsWith('[{"filePath":') ? fromJson(line, paths) : []));
    const all = found.length > 0 ? found : fromText(lines, paths);
    const errors = all.filter(({ severity }) => severity === 'error');
    const shown = errors.length > 0 ? errors : all;
    return { failed: [], errors: shown.map(({ message, place }) => ({ message, place })) };
  },
};

type Problem = OutputError & { severity: string };

function fromText(lines: readonly string[], paths: WorkspacePaths): Problem[] {
  let file: string | undefined;
  return lines.flatMap((line) => {
    const [, number, severity, said, rule] = PROBLEM.exec(line) ?? [];
    if (severity === undefined || said === undefined) {
      if (/^\S+\.\w+$/.test(line)) file = line;
      return [];
    }
    const message = joinMessage([rule ? `${said} (${rule})` : said], paths);
    return [{ severity, message, place: paths.place(file, number) }];
  });
}

/** Only where the whole of it is there: a cut line is no JSON. */
function fromJson(line: string, paths: WorkspacePaths): Problem[] {
  const files = parseJson(line);
  if (!Array.isArray(files)) return [];
  return files.flatMap((file: unknown) => {
    if (!isRecord(file) || !Array.isArray(file.messages)) return [];
    return file.messages.flatMap((problem: unknown): Problem[] => {
      if (!isRecord(problem) || typeof problem.message !== 'string') return [];
      const place = paths.place(String(file.filePath), String(Number(problem.line) || 1));
      const rule = typeof problem.ruleId === 'string' ? ` (${problem.ruleId})` : '';
      const severity = problem.severity === 2 ? 'error' : 'warning';
      return [{ severity, message: joinMessage([problem.message + rule], paths), place }];
    });
  });
}
