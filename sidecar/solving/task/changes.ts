/** Measures and compares changes of files. Pure. */
import { diffLines } from 'diff';
import type { ChangedFile } from '../../parsing/apply-edits/index.ts';

const MAX_MOVED_LINES = 200;

/** Counts the lines that only one side contains, as multisets. If only the order differs, counts the moved lines of a diff. */
export function countChangedLines(before: string, after: string): { additions: number; deletions: number } {
  const counts = new Map<string, number>();
  for (const line of before.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  let additions = 0;
  for (const line of after.split('\n')) {
    const left = counts.get(line) ?? 0;
    if (left > 0) counts.set(line, left - 1);
    else additions += 1;
  }
  const deletions = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (additions + deletions > 0 || before === after) return { additions, deletions };
  const changes = diffLines(before, after, { maxEditLength: MAX_MOVED_LINES }) ?? [];
  const moved = changes.reduce((sum, { added, count }) => sum + (added ? count : 0), 0);
  return { additions: moved, deletions: moved };
}

/** Describes a change, such as `+3 −1 in src/x.js, +9 −0 in src/y.js`. */
export function describeChange(files: readonly ChangedFile[]): string {
  return files
    .map(({ path, before, after }) => {
      const { additions, deletions } = countChangedLines(before ?? '', after ?? '');
      if (after === undefined) return `${path} deleted`;
      return `+${additions} −${before === undefined ? 0 : deletions} in ${path}`;
    })
    .join(', ');
}

/**
 * Returns a key that is equal for changes that differ only in whitespace and comment lines. Files with only such differences count only if
 * the change has no other files.
 */
export function computeChangeKey(files: readonly ChangedFile[]): string {
  const changed = files.filter((file) => !changesNothing([file]));
  const counted = changed.length > 0 ? changed : files;
  return JSON.stringify(
    counted
      .map(({ path, after }): [string, string] => [path, compactOrMarkDeleted(path, after)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Returns whether files are equal before and after, except for whitespace and comment lines. */
export const changesNothing = (files: readonly ChangedFile[]): boolean =>
  files.every(
    ({ path, before, after }) =>
      before !== undefined && compactText(path, before) === compactOrMarkDeleted(path, after),
  );

/** Extensions of languages whose comment lines start with `#`. Markdown is not among them, since `#` begins a heading there. */
const HASH_COMMENT_EXTENSIONS =
  ' py pyi sh bash zsh rb pl yaml yml toml ini cfg conf r jl ex exs nix tf mk cmake ';
/** Extensions of languages whose comment lines start with `//`. */
const SLASH_COMMENT_EXTENSIONS =
  ' js jsx mjs cjs ts tsx mts cts java kt kts scala swift go rs c h cc cpp cxx hpp cs php dart m mm proto gradle ';
const BLOCK_COMMENT_EXTENSIONS = `${SLASH_COMMENT_EXTENSIONS}css scss less `;

/** Compacts a text; a deleted file differs from an empty file. */
const compactOrMarkDeleted = (path: string, text: string | undefined): string =>
  text === undefined ? '\0' : compactText(path, text);

function compactText(path: string, text: string): string {
  const ending = ` ${path.split('.').at(-1)?.toLowerCase()} `;
  const [hasHashes, hasSlashes, hasBlocks] = [
    HASH_COMMENT_EXTENSIONS,
    SLASH_COMMENT_EXTENSIONS,
    BLOCK_COMMENT_EXTENSIONS,
  ].map((endings) => endings.includes(ending));
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
