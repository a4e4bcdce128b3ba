/**
 * Decides whether a block is a whole file or a part of it. A whole file has the file's first line of code and half of its lines, or lacks
 * only definitions that are no longer used. It also has all names that it uses. Without the rules on rewritten files and lost definitions,
 * 10 of 167 whole files and 12 of 126 parts would have another result.
 */
import { languageOf, sourceOf, flattenDefinitions, type SourceFile } from '../definitions/index.ts';
import { hasNewMark } from './restore-elided.ts';
import { listImportedNames } from './name-lists.ts';
import { listFilledLines, isUsed, measureSimilarity, stripProse } from './code-text.ts';

/** Minimum share of the file's lines that a whole file must have. */
const MIN_SHARE = 0.5;
/** Minimum share of the file's lines if the block has every definition of the file. */
const MIN_SHARE_OF_REWRITTEN = 0.25;
/** Minimum similarity, from 0 to 1, of the file's first line and its changed form. */
const MIN_SIMILARITY = 0.6;
const COMMENT_START = /^(?:\/\/|#(?!!)|\/?\*|--(?!-)|;)/u;

export async function isWholeFile(path: string, text: string, block: string): Promise<boolean> {
  if (hasNewMark(block, text)) return false;
  const share = measureSharedLines(text, block);
  const hasMost = share >= MIN_SHARE && hasFirstLine(text, block, languageOf(path) !== undefined);
  if (!hasMost && share < MIN_SHARE_OF_REWRITTEN) return false;
  const [file, blockSource] = [await sourceOf(path, text), await sourceOf(path, block)];
  if (!file || !blockSource) return hasMost;
  const oldSide = { text, file };
  const newSide = { text: block, file: blockSource };
  if (lacksNames(oldSide, newSide)) return false;
  if (hasMost) return true;
  if (file.definitions.length === 0 && share < MIN_SHARE) return false;
  return (
    listKinds(file).every((kind) => listKinds(blockSource).includes(kind)) &&
    preservesUsedDefinitions(oldSide, newSide)
  );
}

/** Returns the kinds of statements in a file that a new whole file must have, too: imports, exports, package, start of the program. */
const listKinds = ({ items }: SourceFile): string[] =>
  items
    .map((item) => (item.type === 'statement' ? item.role : item.type))
    .filter((kind) => ['import', 'exports', 'main', 'package'].includes(kind));

interface FileSide {
  text: string;
  file: SourceFile;
}

/** Returns whether the block uses a name of the file that the block itself does not import or define. */
function lacksNames(oldSide: FileSide, newSide: FileSide): boolean {
  const code = stripProse(newSide.text);
  const blockNames = new Set([
    ...listNames(newSide),
    ...flattenDefinitions(newSide.file.definitions).flatMap(({ names }) => names),
  ]);
  return listNames(oldSide).some((name) => !blockNames.has(name) && isUsed(code, name));
}

/** Returns all names that a file imports or defines at the top level. */
const listNames = ({ text, file }: FileSide): string[] => [
  ...file.definitions.flatMap(({ names }) => names),
  ...listImportedNames(file, text),
];

/** Returns whether each definition that the block lacks was used by the file before and is no longer used. */
function preservesUsedDefinitions(oldSide: FileSide, newSide: FileSide): boolean {
  const names = new Set([
    ...listNames(newSide),
    ...flattenDefinitions(newSide.file.definitions).flatMap((each) => each.names),
  ]);
  return flattenDefinitions(oldSide.file.definitions).every(
    (missing) =>
      missing.names.some((name) => names.has(name)) ||
      (isUsed(oldSide.text.slice(0, missing.start) + oldSide.text.slice(missing.end), missing.name) &&
        !isUsed(newSide.text, missing.name)),
  );
}

/** Returns whether the block has the first line of the text. In prose, the line may be reworded. */
function hasFirstLine(text: string, block: string, isCode: boolean): boolean {
  const lines = selectLinesWithWords(text);
  const blockLines = selectLinesWithWords(block);
  const first = lines.find((line) => !isCode || !COMMENT_START.test(line)) ?? lines[0];
  if (first === undefined || blockLines[0] === undefined) return false;
  if (blockLines.includes(first) || blockLines[0] === lines[0]) return true;
  return !isCode && measureSimilarity(blockLines[0], first) >= MIN_SIMILARITY;
}

/** Returns whether the block contains the file's first line or half of its lines. */
export const mayBeWholeFile = (path: string, text: string, block: string): boolean =>
  !hasNewMark(block, text) &&
  (measureSharedLines(text, block) >= MIN_SHARE || hasFirstLine(text, block, languageOf(path) !== undefined));

/** Returns the share of the text's lines that the block has, too. */
export function measureSharedLines(text: string, block: string): number {
  const lines = listNormalizedLines(text);
  const remainingCounts = new Map<string, number>();
  for (const line of listNormalizedLines(block))
    remainingCounts.set(line, (remainingCounts.get(line) ?? 0) + 1);
  const shared = lines.filter((line) => {
    const count = remainingCounts.get(line) ?? 0;
    remainingCounts.set(line, count - 1);
    return count > 0;
  });
  return lines.length === 0 ? 0 : shared.length / lines.length;
}

const listNormalizedLines = (text: string): string[] =>
  listFilledLines(text).map((line) => line.replaceAll(/\s+/gu, ' '));

/** Returns the lines that contain words. Lines with only brackets occur in any file. */
const selectLinesWithWords = (text: string): string[] =>
  listNormalizedLines(text).filter((line) => /[\p{L}\p{N}]/u.test(line));
