/** Reads tracebacks of Python. Pure. */
import { joinMessage } from '../failure-text.ts';
import type { FailedTest, FilePlace, OutputPaths } from '../types.ts';
import { isFrame } from '../output-paths.ts';

const FILE_LINE = /^\s*File "/;
/** Matches lines without information: markers below a line that differs, and hints of the runners. */
const NOISE_LINE = /^\s*\?[ ^+-]*$|^(?:Stdout|Stderr):$|^-{70}$|, use -v+ to (?:show|get)/;

/** Returns the places in the workspace: the outermost one is in the test; at the innermost one, the error was raised. */
export function findPlaces(
  body: readonly string[],
  paths: OutputPaths,
): { place: FilePlace | undefined; frame: FilePlace | undefined } {
  const places = body.flatMap((line) => (isFrame(line) ? (paths.findFirstFrame([line]) ?? []) : []));
  return { place: places[0], frame: places.at(-1) };
}

/** Returns the lines of the raised error, which stand below the last frame, without that frame's code and markers. */
export function extractRaisedError(body: readonly string[]): readonly string[] {
  const below = body.slice(body.findLastIndex((line) => FILE_LINE.test(line)) + 1);
  return below.slice(
    Math.max(
      0,
      below.findIndex((line) => /^\S/.test(line) && !/^-{70}$/.test(line)),
    ),
  );
}

export const messageOf = (lines: readonly string[], paths: OutputPaths): string =>
  joinMessage(
    lines.filter((line) => !NOISE_LINE.test(line)),
    paths,
  );

export const readTraceback = (body: readonly string[], paths: OutputPaths): Omit<FailedTest, 'name'> => ({
  ...findPlaces(body, paths),
  message: messageOf(extractRaisedError(body), paths) || undefined,
});
