/**
 * Reads the output of unknown programs: the lines that name an error or a file of the workspace, and the last
 * lines.
 */
import { shorten } from '../../../base/values/shortening.ts';
import { removeVariance } from '../failure-text.ts';
import type { OutputError, ReaderInput } from '../types.ts';
import { isFrame } from '../output-paths.ts';

const MAX_NAMED_ERRORS = 24;
const LAST_LINES = 8;
/** Maximum number of lines that are checked for files, because each check accesses the disk. */
const MAX_CHECKED_LINES = 4_000;
const MAX_LINE_CHARS = 240;

const ERROR_LINE =
  /\b(?:error|errors|fail|fails|failed|failure|failures|not ok|fatal|panic|exception|traceback|cannot|undefined|not found|no such file|mismatch|refused|denied|unexpected|expected|assert\w*)\b|(?:Error|Exception)\b/i;
const PATH_PATTERN = /(?:^|[\s"'`(=[])((?:\.{0,2}\/)?[\w@.+-]+(?:\/[\w@.+-]+)*\.\w{1,8})(?::(\d{1,7}))?/;

export function readOtherLines({ lines, paths }: ReaderInput): OutputError[] {
  const errorsByLine = new Map<number, OutputError>();
  const texts = new Set<string>();
  let checkedLines = 0;
  const messageOf = (line: string) =>
    shorten(removeVariance(paths.shortenPaths(line.trimEnd())).replaceAll(TIME_PATTERN, '…'), MAX_LINE_CHARS);
  for (const [index, line] of lines.entries()) {
    if (errorsByLine.size >= MAX_NAMED_ERRORS) break;
    if (line.trim() === '') continue;
    const [, file, number] = PATH_PATTERN.exec(paths.shortenPaths(line)) ?? [];
    const relativePath =
      file === undefined || checkedLines >= MAX_CHECKED_LINES ? undefined : paths.toRelative(file);
    if (relativePath !== undefined) checkedLines += 1;
    const place =
      relativePath !== undefined && paths.isFile(relativePath) === true
        ? { path: relativePath, line: Number(number ?? 1) }
        : undefined;
    // A stack frame may contain the name of an error, but is no error itself.
    if (!place && (isFrame(line) || !ERROR_LINE.test(line))) continue;
    const message = messageOf(line);
    if (texts.has(message)) continue;
    texts.add(message);
    errorsByLine.set(index, { message, place });
  }
  const textLineIndexes = [...lines.keys()].filter((index) => {
    const line = lines[index] ?? '';
    return line.trim() !== '' && !isFrame(line);
  });
  // The last lines are shown with duplicates, because two equal lines may be two values.
  for (const index of textLineIndexes.slice(-LAST_LINES))
    if (!errorsByLine.has(index))
      errorsByLine.set(index, { message: messageOf(lines[index] ?? ''), place: undefined });
  return [...errorsByLine].sort(([a], [b]) => a - b).map(([, error]) => error);
}

const TIME_PATTERN =
  /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b|\b\d+(?:\.\d+)?\s?(?:ms|µs|seconds?|secs?|s)\b/g;
