/**
 * Reads errors that ended a JavaScript program before a test framework could report them: failed imports,
 * syntax errors, uncaught errors.
 */
import { readFailureFields, joinMessage, collectLinesUntil } from '../failure-text.ts';
import type { OutputError, OutputPaths } from '../types.ts';

const THROWN_ERROR =
  /^\s*(?:Uncaught )?([A-Z]\w{0,80}(?<=Error|Exception))(?: \[[\w]+\]|\[ @[^\]]{1,400} \])?: (.+)$/;
const MAX_ERRORS = 20;
/** Maximum number of lines above a message in which Node prints the place and the line of code. */
const LOOK_BACK_LINES = 6;
/** Maximum number of lines between the start of a message and its stack. `node:assert` prints both values there. */
const MAX_MESSAGE_LINES = 30;

export function readCrashes(lines: readonly string[], paths: OutputPaths): OutputError[] {
  const errors: OutputError[] = [];
  const seen = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const text = line.replace(/^\s*Exception during run: /, '');
    const [, kind, message] = THROWN_ERROR.exec(text) ?? [];
    if (kind === undefined || message === undefined || seen.has(text)) continue;
    seen.add(text);
    const messageLines = collectLinesUntil(lines.slice(0, index + MAX_MESSAGE_LINES), index, isStack);
    const stack = collectLinesUntil(lines, index + messageLines.length, (below) => !isStack(below));
    const place =
      findShownPlace(lines, index, paths) ?? findImporter(text, paths) ?? paths.findFirstFrame(stack);
    const values =
      kind === 'AssertionError' && stack.length > 0 ? formatBothValues(messageLines, paths) : undefined;
    const fullMessage = joinMessage([`${kind}: ${values ?? message}`.replace(/ \{$/, '')], paths);
    if (errors.some((error) => error.message === fullMessage)) continue;
    errors.push({ message: fullMessage, place });
    if (errors.length === MAX_ERRORS) break;
  }
  return errors;
}

const isStack = (line: string): boolean => /^\s+at /.test(line);

/** Formats the two values of an assertion. */
function formatBothValues(messageLines: readonly string[], paths: OutputPaths): string | undefined {
  const { expected, actual } = readFailureFields(messageLines, paths);
  return expected === undefined ? undefined : `expected ${expected}, got ${actual}`;
}

/** Returns the place that is printed above the message of a syntax error: `file:///…/broken.js:2`, a line of code and a caret. */
function findShownPlace(lines: readonly string[], index: number, paths: OutputPaths) {
  for (let lineIndex = index - 1; lineIndex >= Math.max(0, index - LOOK_BACK_LINES); lineIndex -= 1) {
    const [, file, line] = /^(?:file:\/\/)?(\/[^\s:]{1,400}):(\d+)$/.exec(lines[lineIndex] ?? '') ?? [];
    const place = paths.placeOf(file, line);
    if (place) return place;
  }
  return undefined;
}

/** Returns the first line of the file that imports a missing module. */
function findImporter(text: string, paths: OutputPaths) {
  const [, file] = /imported from '?([^\s']+)'?/.exec(text) ?? /\[ @([^\]]{1,400}) \]/.exec(text) ?? [];
  return paths.placeOf(file, '1');
}
