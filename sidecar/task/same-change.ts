/** Whether changes are the same. Pure. */
import type { ChangedFile } from '../applying/index.ts';

/**
 * The same for changes that differ only in white space and in lines that are comments. A file in which nothing else is
 * changed counts only where that is so in all of them.
 */
export function sameChangeKey(files: readonly ChangedFile[]): string {
  const changed = files.filter((file) => !changesNothing([file]));
  const counted = changed.length > 0 ? changed : files;
  return JSON.stringify(
    counted
      .map(({ path, after }): [string, string] => [path, compactedOrGone(path, after)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Whether files are the same before and after, as far as that. */
export const changesNothing = (files: readonly ChangedFile[]): boolean =>
  files.every(
    ({ path, before, after }) =>
      before !== undefined && compacted(path, before) === compactedOrGone(path, after),
  );

/** How comments begin that fill a line, by the ending of the file's name. Prose has none: its marks are headings and lists. */
const HASH = ' py pyi sh bash zsh rb pl yaml yml toml ini cfg conf r jl ex exs nix tf mk cmake ';
const SLASHES =
  ' js jsx mjs cjs ts tsx mts cts java kt kts scala swift go rs c h cc cpp cxx hpp cs php dart m mm proto gradle ';
const BLOCKS = `${SLASHES}css scss less `;

/** A file that goes is not the same as an empty one. */
const compactedOrGone = (path: string, text: string | undefined): string =>
  text === undefined ? '\0' : compacted(path, text);

function compacted(path: string, text: string): string {
  const ending = ` ${path.split('.').at(-1)?.toLowerCase()} `;
  const [hasHashes, hasSlashes, hasBlocks] = [HASH, SLASHES, BLOCKS].map((endings) =>
    endings.includes(ending),
  );
  let isInBlock = false;
  const isComment = (line: string): boolean => {
    if (isInBlock || (hasBlocks && line.startsWith('/*'))) {
      const end = line.indexOf('*/', isInBlock ? 0 : 2);
      isInBlock = end === -1;
      return isInBlock || end + 2 === line.length;
    }
    return (hasHashes && /^#(?!!)/u.test(line)) || (hasSlashes && line.startsWith('//')) || false;
  };
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => !isComment(line))
    .join('')
    .replaceAll(/\s+/gu, '');
}
