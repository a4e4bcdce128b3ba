/** Statements of an answer outside of its functions: each may stand for one of the file; what only uses the code is no loss. */
import { blockSimilarity } from '../tools/editing/similarity.ts';
import type { SourceItem } from '../definitions/index.ts';
import { isMark } from './marks.ts';
import type { Sides } from './sides.ts';
import { partsOf } from './texts.ts';
import { leftOut, type LeftOut } from './types.ts';

type Statement = SourceItem & { type: 'statement' };

/** How alike a statement and what it has become are at least, from 0 to 1. */
const LEAST_SIMILARITY = 0.6;
const MAX_COMPARED_CHARS = 2_000;

/** How many were put in, and what was not. */
export function mergeStatements(sides: Sides): { placed: number; leftOut: LeftOut[] } {
  const { block, edits, isOld } = sides;
  const left: LeftOut[] = [];
  let placed = 0;
  for (const item of statementsIn(block.items)) {
    const given = block.text.slice(item.start, item.end);
    if (isOld(given) || isMark(given) || item.role === 'documentation') continue;
    const target = targetOf(item, sides);
    if (target) {
      edits.replace(target.start, target.end, given);
      placed += 1;
    } else if (item.role === 'other') left.push(leftOut(given, 'a statement whose place is not certain'));
    else left.push(leftOut(given, 'it only uses what is defined', 'example'));
  }
  return { placed, leftOut: left };
}

const statementsIn = (items: readonly SourceItem[]): Statement[] =>
  items.flatMap((item) =>
    item.type === 'statement' && item.role !== 'package' && item.role !== 'exports' ? [item] : [],
  );

/** The one statement of the file that says nearly the same and is not in the answer as it is. */
function targetOf(item: Statement, { file, text, block }: Sides): Statement | undefined {
  const given = block.text.slice(item.start, item.end);
  const isPart = partsOf(block.text);
  const lines = new Set(block.text.split('\n').map((line) => line.trim()));
  const [target, another] = statementsIn(file.items).filter(({ role, start, end }) => {
    const old = text.slice(start, end);
    const isGiven = old.includes('\n') ? isPart(old) : lines.has(old.trim());
    return role === item.role && !isGiven && isAlike(old, given, role);
  });
  return another ? undefined : target;
}

function isAlike(old: string, given: string, role: Statement['role']): boolean {
  if (Math.max(old.length, given.length) > MAX_COMPARED_CHARS) return false;
  // An example may bring its own `main`: it calls something else.
  const words = new Set(wordsOf(given));
  if (role === 'main') return wordsOf(old).every((word) => words.has(word));
  return blockSimilarity(old.split('\n'), given.split('\n')) >= LEAST_SIMILARITY;
}

const wordsOf = (text: string): string[] => text.match(/[\w.]+/gu) ?? [];
