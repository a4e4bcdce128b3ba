/** Whether a block is the whole of a file and not a part of it. The checks decide where this is wrong. */
import { languageOf, sourceOf } from '../definitions/index.ts';
import { hasOwnMark } from './elided.ts';
import { importedNames } from './imports.ts';
import { isUsed } from './texts.ts';

/** Share of the file's lines that the block has, too. */
const LEAST_SHARE = 0.5;
/** The same where it begins with imports, as no part of a file need do. */
const LEAST_SHARE_BEHIND_IMPORTS = 0.25;
const COMMENT = /^(?:\/\/|#(?!!)|\/?\*|--(?!-)|;)/u;

/** It holds the file's first line of code and half of its lines; or it begins with imports, and what it lacks it needs no more. */
export async function isWholeFile(path: string, text: string, block: string): Promise<boolean> {
  const share = hasOwnMark(block, text) ? 0 : sharedLines(text, block);
  if (share < LEAST_SHARE_BEHIND_IMPORTS) return false;
  if (share >= LEAST_SHARE && holdsFirstLine(text, block, languageOf(path) !== undefined)) return true;
  const [file, given] = [await sourceOf(path, text), await sourceOf(path, block)];
  if (!file || given?.items.find(({ type }) => type !== 'comment')?.type !== 'import') return false;
  const names = new Set([...importedNames(given, block), ...given.definitions.flatMap((each) => each.names)]);
  return file.definitions
    .filter((definition) => !definition.names.some((name) => names.has(name)))
    .every(
      ({ name, start, end }) => isUsed(text.slice(0, start) + text.slice(end), name) && !isUsed(block, name),
    );
}

/** It holds the first line or half of the lines. */
export const mayBeWholeFile = (path: string, text: string, block: string): boolean =>
  !hasOwnMark(block, text) &&
  (sharedLines(text, block) >= LEAST_SHARE || holdsFirstLine(text, block, languageOf(path) !== undefined));

/** The same for a class or another container. */
export const isWholeContainer = (text: string, block: string): boolean =>
  !hasOwnMark(block, text) && sharedLines(text, block) >= LEAST_SHARE && holdsFirstLine(text, block, true);

function holdsFirstLine(text: string, block: string, isCode: boolean): boolean {
  const lines = linesOf(text).filter(hasWords);
  const given = linesOf(block).filter(hasWords);
  const first = lines.find((line) => !isCode || !COMMENT.test(line)) ?? lines[0];
  return first !== undefined && (given.includes(first) || given[0] === lines[0]);
}

/** Share of the text's lines that the block has, too. */
export function sharedLines(text: string, block: string): number {
  const lines = linesOf(text);
  const left = new Map<string, number>();
  for (const line of linesOf(block)) left.set(line, (left.get(line) ?? 0) + 1);
  const shared = lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0;
  });
  return lines.length === 0 ? 0 : shared.length / lines.length;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Brackets alone stand in any file. */
const hasWords = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);
