/** Statements of an answer outside of its functions: each may stand for one of the file; what only uses the code is no loss. */
import type { SourceFile, SourceItem } from '../definitions/index.ts';
import { lineSimilarity } from '../tools/editing/similarity.ts';
import type { CodeBlock } from './code-block.ts';
import type { TextEdits } from '../values/text-edits.ts';
import { isMark } from './marks.ts';
import { partsOf } from './texts.ts';
import { excerptOf, type LeftOut } from './types.ts';

type Statement = SourceItem & { type: 'statement' };

/** The file and the block that goes into it, and the changes so far. */
export interface Sides {
  file: SourceFile;
  path: string;
  /** The file's. */
  text: string;
  block: CodeBlock;
  edits: TextEdits;
  /** Whether a part stands in the file. */
  isOld: (part: string) => boolean;
}

/** A call of what prints: mostly an example of use. */
export const PRINTS = /^(console\.|print|puts|echo|fmt\.Print|System\.out|assert|expect)/;
/** How alike a statement of one line and what it has become are at least, from 0 to 1. */
const LEAST_SIMILARITY = 0.65;
/** The same for one that may be an example of use. */
const LEAST_SIMILARITY_OF_PRINTS = 0.8;
/** Share of the words of a longer statement that what it has become holds. */
const LEAST_WORDS = 0.7;
const MAX_COMPARED_CHARS = 500;

/** How many were put in, and what was not. */
export function mergeStatements(request: Sides): { placed: number; leftOut: LeftOut[] } {
  const { block, edits, isOld } = request;
  const leftOut: LeftOut[] = [];
  let placed = 0;
  for (const item of statementsIn(block.items)) {
    const given = block.text.slice(item.start, item.end);
    if (isOld(given) || isMark(given) || item.role === 'documentation') continue;
    const target = targetOf(item, request);
    if (target) {
      edits.replace(target.start, target.end, given);
      placed += 1;
    } else if (item.role === 'other')
      leftOut.push({
        excerpt: excerptOf(given),
        reason: 'a statement whose place is not certain',
        kind: 'ambiguous',
      });
    else leftOut.push({ excerpt: excerptOf(given), reason: 'it only uses what is defined', kind: 'example' });
  }
  return { placed, leftOut };
}

const statementsIn = (items: readonly SourceItem[]): Statement[] =>
  items.flatMap((item) =>
    item.type === 'statement' && item.role !== 'package' && item.role !== 'exports' ? [item] : [],
  );

/** The one statement of the file that begins with the same line, or says nearly the same, and is not in the answer as it is. */
function targetOf(item: Statement, { file, text, block }: Sides): Statement | undefined {
  const given = block.text.slice(item.start, item.end);
  if (given.length > MAX_COMPARED_CHARS) return undefined;
  const isPart = partsOf(block.text);
  const lines = new Set(block.text.split('\n').map((line) => line.trim()));
  const isGiven = (old: string): boolean => (old.includes('\n') ? isPart(old) : lines.has(old.trim()));
  const [target, another] = statementsIn(file.items).filter(({ role, start, end }) => {
    const old = text.slice(start, Math.min(end, start + MAX_COMPARED_CHARS));
    // An example may bring its own `main`: it calls something else.
    const leastWords = role === 'main' ? 1 : LEAST_WORDS;
    return role === item.role && isAlike(old, given, leastWords) && !isGiven(text.slice(start, end));
  });
  return another ? undefined : target;
}

function isAlike(old: string, given: string, leastWords: number): boolean {
  if (!old.includes('\n') && !given.includes('\n')) {
    const least = PRINTS.test(given) ? LEAST_SIMILARITY_OF_PRINTS : LEAST_SIMILARITY;
    return lineSimilarity(old, given) >= least;
  }
  const [words, others] = [wordsOf(old), new Set(wordsOf(given))];
  const kept = words.filter((word) => others.has(word));
  return words[0] === wordsOf(given)[0] && kept.length >= words.length * leastWords;
}

const wordsOf = (text: string): string[] => text.match(/[\w.]+/g) ?? [];
