/**
 * Merges the statements of an answer outside of its functions. Each statement replaces its counterpart, or is inserted after the statement
 * that precedes it in the answer. Code that only uses the definitions may be left out. Without this merge, 7 of 126 solutions given as
 * changed definitions would have another result.
 */
import type { SourceItem } from '../definitions/index.ts';
import { isElisionMark } from './elision-marks.ts';
import type { MergeContext } from './merge-context.ts';
import { measureSimilarity } from './code-text.ts';
import { collapseSpace, createPartTest, readRestOfLine, wordsOf } from './code-text.ts';
import { createOmittedPart, type OmittedPart } from './types.ts';

type Statement = SourceItem & { type: 'statement' };

/** Minimum similarity of a statement and its changed form, from 0 to 1. */
const MIN_SIMILARITY = 0.8;
const MAX_COMPARED_CHARS = 2_000;

/** Merges the statements of one level (a class or the top level). Returns the number of merged statements and those that were left out. */
export function mergeStatements(
  context: MergeContext,
  level: { blockItems: readonly SourceItem[]; fileItems: readonly SourceItem[]; isTop: boolean },
): { placedCount: number; omittedParts: OmittedPart[] } {
  const { block, text, edits } = context;
  const omittedParts: OmittedPart[] = [];
  let placedCount = 0;
  const insertOrReplace = (from: number, to: number, newText: string): void => {
    edits.replace(from, to, newText);
    placedCount += 1;
  };
  const endOf = ({ end }: Statement): number => end + readRestOfLine(text, end).length;
  const fileStatements = level.fileItems.filter(isStatement);
  const targets = level.blockItems.map((item) =>
    isStatement(item) ? findTargetStatement(item, fileStatements, context) : undefined,
  );
  for (const [index, item] of level.blockItems.entries()) {
    if (!isStatement(item)) continue;
    const newText = block.text.slice(item.start, item.end);
    // The file's own description is not replaced.
    if (isElisionMark(newText) || (level.isTop && item.role === 'documentation')) continue;
    const above = targets[index - 1];
    const next = above && fileStatements[fileStatements.indexOf(above) + 1];
    if (next && !targets.includes(next) && containsOther(text.slice(next.start, next.end), newText))
      targets[index] ??= next;
    const target = targets[index];
    if (target && areEqual(text.slice(target.start, target.end), newText)) continue;
    if (target) insertOrReplace(target.start, target.end, newText);
    else if (above) insertOrReplace(endOf(above), endOf(above), `\n${newText}`);
    else if (item.role === 'other')
      omittedParts.push(createOmittedPart(newText, 'the position of a statement is ambiguous'));
    else
      omittedParts.push(
        createOmittedPart(newText, 'the statement only uses definitions of the file', 'example'),
      );
    targets[index] ??= above;
  }
  return { placedCount, omittedParts };
}

const isStatement = (item: SourceItem): item is Statement =>
  item.type === 'statement' && item.role !== 'package' && item.role !== 'exports';
const areEqual = (oldText: string, newText: string): boolean =>
  collapseSpace(oldText) === collapseSpace(newText);
const containsOther = (oldText: string, newText: string): boolean =>
  oldText.includes(newText) || newText.includes(oldText);

/** Returns the only equal statement of the file, or else the only similar statement that the answer does not also contain unchanged. */
function findTargetStatement(
  item: Statement,
  fileStatements: readonly Statement[],
  { text, block }: MergeContext,
): Statement | undefined {
  const newText = block.text.slice(item.start, item.end);
  const same = fileStatements.filter(({ start, end }) => areEqual(text.slice(start, end), newText));
  const isPart = createPartTest(block.text);
  const lines = new Set(block.text.split('\n').map((line) => line.trim()));
  const similar = fileStatements.filter(({ role, start, end }) => {
    const oldText = text.slice(start, end);
    const isGiven = oldText.includes('\n') ? isPart(oldText) : lines.has(oldText.trim());
    return role === item.role && !isGiven && areSimilar(oldText, newText, role);
  });
  const [target, another] = same.length > 0 ? same : similar;
  return another ? undefined : target;
}

function areSimilar(oldText: string, newText: string, role: Statement['role']): boolean {
  if (Math.max(oldText.length, newText.length) > MAX_COMPARED_CHARS) return false;
  // An example of use may contain its own `main`, which calls other code.
  const words = new Set(wordsOf(newText));
  if (role === 'main') return wordsOf(oldText).every((word) => words.has(word));
  return measureSimilarity(oldText, newText) >= MIN_SIMILARITY;
}
