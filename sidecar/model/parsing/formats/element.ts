/**
 * Parameters written as elements: where a value ends when its text may itself contain the closing tag, and how
 * the line breaks that a template puts around a value are taken off.
 */
import { isTextArgument } from '../../../tools/argument-aliases.ts';
import type { Source } from '../source.ts';
import { markAt, nameEnd } from './format.ts';

export interface ElementMarks {
  /** How an element of this kind opens, without its attributes. */
  open: string;
  close: string;
  /** What may stand after a value's real end. */
  follow: readonly string[];
  /** How the next element begins where that is not `open`. */
  sibling?: string;
}

/** How a call in elements is to be sent again. */
export const elementAdvice = 'Send the whole call again and close every value with its tag';

/**
 * Where the value that starts at `from` ends, and where reading goes on; undefined when it is cut off.
 * A closing tag ends the value only when something plausible follows; elements inside the value are balanced
 * first, so that a file which documents this very format survives; a closing tag that was forgotten is made up
 * for by the next element, which is a guess and said to be one.
 */
export function elementEnd(
  source: Source,
  from: number,
  marks: ElementMarks,
): { valueEnd: number; next: number; isGuessed?: true } | undefined {
  const balanced = balancedEnd(source, from, marks);
  if (balanced !== undefined) return { valueEnd: balanced, next: balanced + marks.close.length };
  source.countFailure();
  const closing = source.find(marks.close, from);
  const sibling = source.find(marks.sibling ?? marks.open, from);
  if (sibling !== -1 && (closing === -1 || sibling < closing))
    return { valueEnd: sibling, next: sibling, isGuessed: true };
  if (closing !== -1) return { valueEnd: closing, next: closing + marks.close.length, isGuessed: true };
  const outer = marks.follow
    .map((mark) => source.find(mark, from))
    .filter((at) => at !== -1)
    .sort((a, b) => a - b)[0];
  return outer === undefined ? undefined : { valueEnd: outer, next: outer, isGuessed: true };
}

const maxChildren = 50;

export type Entries = (readonly [string, unknown])[];

/** Parameters as elements of their own names, `<path>a.ts</path>`, up to the closing tag `close` of what is around them. */
export function readChildren(source: Source, at: number, close: string) {
  let guessed: string | undefined;
  const { text } = source;
  const entries: Entries = [];
  let position = at;
  while (text[position] === '<' && entries.length < maxChildren) {
    const end = nameEnd(text, position + 1);
    const key = text.slice(position + 1, end);
    if (key === '' || text[end] !== '>') break;
    const next = { open: `<${key}>`, close: `</${key}>`, follow: [close, '<'] };
    const value = elementEnd(source, end + 1, next);
    if (!value || value.next === value.valueEnd) break;
    if (value.isGuessed) guessed ??= key;
    entries.push([key, unwrapLines(text.slice(end + 1, value.valueEnd), 'each')]);
    position = source.skipSpace(value.next);
  }
  return { entries, guessed, end: position };
}

/** Why the values of a call are not certain: one had no end of its own, or a name stands there twice. */
export function whyUncertain(entries: Readonly<Entries>, guessed: string | undefined): string | undefined {
  if (guessed !== undefined) return `the end of the value of "${guessed}" is not clear. ${elementAdvice}`;
  const names = new Set(entries.map(([key]) => key));
  return names.size === entries.length ? undefined : `a value is given twice. ${elementAdvice}`;
}

function balancedEnd(source: Source, from: number, marks: ElementMarks): number | undefined {
  let depth = 1;
  let position = from;
  let opening = source.find(marks.open, from);
  for (;;) {
    const closing = source.find(marks.close, position);
    if (closing === -1 || !source.spend(16)) return undefined;
    while (opening !== -1 && opening < closing) {
      depth += 1;
      opening = source.find(marks.open, opening + marks.open.length);
    }
    if (depth > 1) depth -= 1;
    else if (isFollowed(source, closing + marks.close.length, marks)) return closing;
    position = closing + marks.close.length;
  }
}

function isFollowed(source: Source, at: number, marks: ElementMarks): boolean {
  const next = source.skipSpace(at);
  return (
    next >= source.text.length ||
    source.text.startsWith(marks.open, next) ||
    markAt(source, marks.follow, next) !== undefined
  );
}

/**
 * A value without the line breaks of its template. `each`: the template puts one before and one after, so one of
 * each goes. `pair`: the template puts none, so they go only where the model put both, and never from a text.
 */
export function unwrapLines(value: string, lines: 'each' | 'pair', key = ''): string {
  const start = value.startsWith('\r\n') ? 2 : value.startsWith('\n') ? 1 : 0;
  const end = value.endsWith('\r\n') && start !== 1 ? 2 : value.endsWith('\n') ? 1 : 0;
  if (lines === 'pair' && (start === 0 || end === 0 || isTextArgument(key))) return value;
  return start + end > value.length ? '' : value.slice(start, value.length - end);
}
