/** Converts ESLint's JSON report to its default form. Pure. */
import { isRecord, parseJson } from '../../../base/values/json.ts';

/**
 * Returns the lines of the default report. A line that is not a complete JSON report is returned unchanged.
 */
export function convertEslintReport(line: string): string[] {
  const files = line.startsWith('[{"filePath":') ? parseJson(line) : undefined;
  if (!Array.isArray(files)) return [line];
  return files.filter(isRecord).flatMap(({ filePath, messages }) => [
    String(filePath),
    ...(Array.isArray(messages) ? messages : [])
      .filter(isRecord)
      .map(({ line: row, severity, message, ruleId }) => {
        const rule = typeof ruleId === 'string' ? `  ${ruleId}` : '';
        return `  ${Number(row) || 1}:1  ${severity === 2 ? 'error' : 'warning'}  ${String(message)}${rule}`;
      }),
  ]);
}
