/**
 * Splits an output into clean lines, in bounded time and memory. Of a large output, only the beginning, which has the first failure, and
 * the end, which has the summary, are read. Colours and overwritten progress lines are removed.
 */

import { TERMINAL_ESCAPES } from '../../base/values/printable.ts';

/** Maximum number of characters that are read at the beginning of the output. */
const MAX_HEAD_CHARS = 1_000_000;
/** Maximum number of characters that are read at the end of the output. */
const MAX_TAIL_CHARS = 1_000_000;
const MAX_LINE_CHARS = 1_000;
/** Maximum length of a line with a JSON report, which is useless if it is cut. */
const MAX_JSON_LINE_CHARS = 400_000;
const MAX_LINES = 20_000;

const CONTROL_CHARACTERS = /(?!\t)\p{Cc}/gu;

export function splitOutput(output: string): string[] {
  const parts =
    output.length <= MAX_HEAD_CHARS + MAX_TAIL_CHARS
      ? [output]
      : [output.slice(0, MAX_HEAD_CHARS), output.slice(-MAX_TAIL_CHARS)];
  const lines = parts.flatMap((part) => part.split('\n'));
  const retained =
    lines.length <= MAX_LINES
      ? lines
      : [...lines.slice(0, MAX_LINES / 2), ...lines.slice(lines.length - MAX_LINES / 2)];
  return retained.map(cleanLine);
}

function cleanLine(line: string): string {
  // A terminal finally shows only the text after the last carriage return.
  const visible = line.endsWith('\r') ? line.slice(0, -1) : line;
  const maxChars = /^(?:\[\{"filePath":|\{"Time":)/.test(visible) ? MAX_JSON_LINE_CHARS : MAX_LINE_CHARS;
  const short = visible.slice(visible.lastIndexOf('\r') + 1).slice(0, maxChars * 2);
  return short.replaceAll(TERMINAL_ESCAPES, '').replaceAll(CONTROL_CHARACTERS, '').slice(0, maxChars);
}

/** Matches the name of a package before a line: `packages/app test: `, `app:test: `, `[app]: `, `[0] `. */
const PACKAGE_PREFIX = /^((?:[\w@./-]+ )?[\w@.:/[\]-]+: |\[[^\]\n]{1,80}\]:? )/;
const MIN_PACKAGE_LINES = 3;

/**
 * Returns the lines of each package separately. Runners of monorepos (`pnpm -r`, Turborepo, Lerna, Yarn) print the package's name before
 * each line. Returns no packages if no name occurs on several lines.
 */
export function splitByPackage(lines: readonly string[]): string[][] {
  const packages = new Map<string, string[]>();
  for (const line of lines) {
    const [prefix] = PACKAGE_PREFIX.exec(`${line} `) ?? [];
    if (prefix === undefined) continue;
    const packageLines = packages.get(prefix) ?? [];
    packageLines.push(line.slice(prefix.length));
    packages.set(prefix, packageLines);
  }
  return [...packages.values()].filter((packageLines) => packageLines.length >= MIN_PACKAGE_LINES);
}
