/** Whether changes are the same. Pure. */
import type { PlacedFile } from './types.ts';

/** The same for changes that differ only in white space and in lines that are comments. */
export const sameChangeKey = (files: readonly Pick<PlacedFile, 'path' | 'after'>[]): string =>
  JSON.stringify(
    files
      .map(({ path, after }): [string, string] => [path, compacted(after)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Whether files are the same before and after, as far as that. */
export const changesNothing = (files: readonly PlacedFile[]): boolean =>
  files.every(({ before, after }) => before !== undefined && compacted(before) === compacted(after));

const COMMENT_LINE = /^(?:\/\/|#(?!!)|\/\*|\*)/u;

function compacted(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => !COMMENT_LINE.test(line))
    .join('')
    .replaceAll(/\s+/gu, '');
}
