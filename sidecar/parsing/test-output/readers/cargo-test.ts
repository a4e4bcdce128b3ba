/** Reads panics of Rust and errors of its compiler. Pure. */
import { MAX_READ_FAILURES, joinMessage, collectLinesUntil } from '../failure-text.ts';
import type { FailedTest, OutputError, ReaderInput, OutputPaths } from '../types.ts';

const PANIC_LINE = /^thread '.*' (?:\(\d+\) )?panicked at (?:'(.*)', )?([^\s:]+\.rs):(\d+):\d+:?$/;
const MESSAGE_END = /^(?:stack backtrace:|note: |failures:|\s+\d+: )/;
const COMPILER_ERROR =
  /^error(?:\[E\d+\])?: (?!.*(?:could not compile|aborting due to|test failed|\d+ targets? failed))/;
const LABEL_LINE = /^\s*\|\s+[\^-]+ (\S.*)$|^\s*= ((?:note|help): .+)$/;

/** Maximum number of lines that are read below a compiler error. */
const MAX_BLOCK_LINES = 40;

/** Returns a panic's message and place. The values `left` and `right` stay in the message, since either can be the expected one. */
export function readPanic(body: readonly string[], paths: OutputPaths): Omit<FailedTest, 'name'> {
  const at = body.findIndex((line) => PANIC_LINE.test(line));
  if (at < 0) {
    const message = joinMessage(
      body.filter((line) => !MESSAGE_END.test(line)),
      paths,
    );
    return message === '' ? {} : { message };
  }
  const [, inlineMessage, file, number] = PANIC_LINE.exec(body[at] ?? '') ?? [];
  const end = body.findIndex((line, index) => index > at && (MESSAGE_END.test(line) || line === ''));
  const messageLines =
    inlineMessage === undefined ? body.slice(at + 1, end < 0 ? undefined : end) : [inlineMessage];
  return { message: joinMessage(messageLines, paths) || 'panicked', frame: paths.placeOf(file, number) };
}

/** Returns the errors of the compiler, each with the labels of its places. */
export function readRustErrors({ lines, paths }: ReaderInput): OutputError[] {
  const heads = [...lines.keys()]
    .filter((index) => COMPILER_ERROR.test(lines[index] ?? ''))
    .slice(0, MAX_READ_FAILURES);
  return heads.map((index) => {
    const below = collectLinesUntil(
      lines.slice(index + 1, index + MAX_BLOCK_LINES),
      0,
      (line) => line === '',
    );
    const [, file, number] = /^\s*--> ([^\s:]+):(\d+):\d+$/m.exec(below.join('\n')) ?? [];
    const labels = below.flatMap((line) => LABEL_LINE.exec(line)?.slice(1, 3).find(Boolean) ?? []);
    const message = joinMessage([lines[index] ?? '', ...labels.map((label) => `  ${label}`)], paths);
    return { message, place: paths.placeOf(file, number) };
  });
}
