/**
 * Whether a block is the whole of a file and not a part of it: it holds the file's first line of code and half of its lines;
 * or every kind of thing at the file's top level is there still, and nothing is lost but what nothing uses any more.
 */
import { languageOf, sourceOf, type SourceFile } from '../definitions/index.ts';
import { hasOwnMark } from './elided.ts';
import { importedNames } from './name-lists.ts';
import { isUsed } from './texts.ts';

/** Share of the file's lines that the block has, too. */
const LEAST_SHARE = 0.5;
/** The same where all that the file defines is there. */
const LEAST_SHARE_OF_REWRITTEN = 0.25;
const COMMENT = /^(?:\/\/|#(?!!)|\/?\*|--(?!-)|;)/u;

export async function isWholeFile(path: string, text: string, block: string): Promise<boolean> {
  if (hasOwnMark(block, text)) return false;
  const share = sharedLines(text, block);
  const isCode = languageOf(path) !== undefined;
  if (share >= LEAST_SHARE && holdsFirstLine(text, block, isCode)) return true;
  if (share < LEAST_SHARE_OF_REWRITTEN) return false;
  const [file, given] = [await sourceOf(path, text), await sourceOf(path, block)];
  if (!file || !given || (file.definitions.length === 0 && share < LEAST_SHARE)) return false;
  return holdsAllKinds(file, given) && losesNothing({ text, file }, { text: block, file: given });
}

/** The same for a class or another container: it holds the first line of what it stands for, and half of its lines. */
export const isWholeContainer = (text: string, block: string): boolean =>
  !hasOwnMark(block, text) && sharedLines(text, block) >= LEAST_SHARE && holdsFirstLine(text, block, true);

/** Imports, exports, the start of the program. */
function holdsAllKinds({ items }: SourceFile, given: SourceFile): boolean {
  const kindOf = (item: SourceFile['items'][number]): string =>
    item.type === 'statement' ? item.role : item.type;
  const kinds = new Set(given.items.map(kindOf));
  return items.map(kindOf).every((kind) => !NEEDED.has(kind) || kinds.has(kind));
}

const NEEDED = new Set(['import', 'exports', 'main', 'package']);

interface Side {
  text: string;
  file: SourceFile;
}

/** What is not there any more was a part of what is there, and is no longer used. */
function losesNothing(old: Side, now: Side): boolean {
  const names = new Set(now.file.definitions.flatMap((each) => each.names));
  const imported = importedNames(now.file, now.text);
  return old.file.definitions.every(
    (lost) =>
      lost.names.some((name) => names.has(name) || imported.has(name)) ||
      (isUsed(old.text.slice(0, lost.start) + old.text.slice(lost.end), lost.name) &&
        !isUsed(now.text, lost.name)),
  );
}

function holdsFirstLine(text: string, block: string, isCode: boolean): boolean {
  const lines = withWords(text);
  const given = withWords(block);
  const first = lines.find((line) => !isCode || !COMMENT.test(line)) ?? lines[0];
  return first !== undefined && (given.includes(first) || given[0] === lines[0]);
}

/** It holds the first line or half of the lines. */
export const mayBeWholeFile = (path: string, text: string, block: string): boolean =>
  !hasOwnMark(block, text) &&
  (sharedLines(text, block) >= LEAST_SHARE || holdsFirstLine(text, block, languageOf(path) !== undefined));

/** Share of the text's lines that the block has, too. */
export function sharedLines(text: string, block: string): number {
  const lines = filled(text);
  const left = new Map<string, number>();
  for (const line of filled(block)) left.set(line, (left.get(line) ?? 0) + 1);
  const shared = lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0;
  });
  return lines.length === 0 ? 0 : shared.length / lines.length;
}

const filled = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/gu, ' '))
    .filter(Boolean);

/** Brackets alone stand in any file. */
const withWords = (text: string): string[] => filled(text).filter((line) => /[\p{L}\p{N}]/u.test(line));
