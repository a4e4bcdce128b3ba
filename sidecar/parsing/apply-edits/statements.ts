/**
 * Merges the statements of an answer outside of its functions. Each statement replaces its counterpart, or is
 * inserted after the statement that precedes it in the answer. Code that only uses the definitions is no
 * loss. Without this, 7 of 126 solutions given as changed definitions have another result.
 */
import type { SourceItem } from '../definitions/index.ts';
import { isElisionMark } from './marks.ts';
import type { MergeContext } from './sides.ts';
import { measureSimilarity } from './texts.ts';
import { collapseSpace, createPartTest, readRestOfLine, wordsOf } from './texts.ts';
import { createOmittedPart, type OmittedPart } from './types.ts';

type Statement = SourceItem & { type: 'statement' };

/** Minimum similarity of a statement and its changed form, from 0 to 1. */
const MIN_SIMILARITY = 0.8;
const MAX_COMPARED_CHARS = 2_000;

/**
 * Merges the statements of one level (a class or the top). Returns the number of merged statements and those
 * left out.
 */
export function mergeStatements(
  context: MergeContext,
  level: { given: readonly SourceItem[]; own: readonly SourceItem[]; isTop: boolean },
): { placedCount: number; omittedParts: OmittedPart[] } {
  const { block, text, edits } = context;
  const omittedParts: OmittedPart[] = [];
  let placedCount = 0;
  const insertOrReplace = (from: number, to: number, given: string): void => {
    edits.replace(from, to, given);
    placedCount += 1;
  };
  const endOf = ({ end }: Statement): number => end + readRestOfLine(text, end).length;
  const own = level.own.filter(isStatement);
  const targets = level.given.map((item) =>
    isStatement(item) ? findTargetStatement(item, own, context) : undefined,
  );
  for (const [index, item] of level.given.entries()) {
    if (!isStatement(item)) continue;
    const given = block.text.slice(item.start, item.end);
    // The description of the file itself remains.
    if (isElisionMark(given) || (level.isTop && item.role === 'documentation')) continue;
    const above = targets[index - 1];
    const next = above && own[own.indexOf(above) + 1];
    if (next && !targets.includes(next) && containsOther(text.slice(next.start, next.end), given))
      targets[index] ??= next;
    const target = targets[index];
    if (target && areEqual(text.slice(target.start, target.end), given)) continue;
    if (target) insertOrReplace(target.start, target.end, given);
    else if (above) insertOrReplace(endOf(above), endOf(above), `\n${given}`);
    else if (item.role === 'other')
      omittedParts.push(createOmittedPart(given, 'the position of a statement is ambiguous'));
    else
      omittedParts.push(
        createOmittedPart(given, 'the statement only uses definitions of the file', 'example'),
      );
    targets[index] ??= above;
  }
  return { placedCount, omittedParts };
}

const isStatement = (item: SourceItem): item is Statement =>
  item.type === 'statement' && item.role !== 'package' && item.role !== 'exports';
const areEqual = (old: string, given: string): boolean => collapseSpace(old) === collapseSpace(given);
const containsOther = (old: string, given: string): boolean => old.includes(given) || given.includes(old);

/**
 * Returns the only equal statement of the file, or the only similar statement that the answer does not
 * contain unchanged.
 */
function findTargetStatement(
  item: Statement,
  own: readonly Statement[],
  { text, block }: MergeContext,
): Statement | undefined {
  const given = block.text.slice(item.start, item.end);
  const same = own.filter(({ start, end }) => areEqual(text.slice(start, end), given));
  const isPart = createPartTest(block.text);
  const lines = new Set(block.text.split('\n').map((line) => line.trim()));
  const similar = own.filter(({ role, start, end }) => {
    const old = text.slice(start, end);
    const isGiven = old.includes('\n') ? isPart(old) : lines.has(old.trim());
    return role === item.role && !isGiven && areSimilar(old, given, role);
  });
  const [target, another] = same.length > 0 ? same : similar;
  return another ? undefined : target;
}

function areSimilar(old: string, given: string, role: Statement['role']): boolean {
  if (Math.max(old.length, given.length) > MAX_COMPARED_CHARS) return false;
  // An example may contain its own `main` that calls other code.
  const words = new Set(wordsOf(given));
  if (role === 'main') return wordsOf(old).every((word) => words.has(word));
  return measureSimilarity(old, given) >= MIN_SIMILARITY;
}
