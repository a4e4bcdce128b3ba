/**
 * Thinking that a server left in the content. An unclosed `<think>` runs to the end
 * of the text; the other marks need their closing one, because they may well be meant as text.
 */
import type { Source } from './source.ts';

const thinkingMarks = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<|channel|>analysis<|message|>', close: '<|end|>' },
];
const closeMark = '</think>';

/** How thinking may begin, for the scan to know where to look. */
export const thinkingOpens: readonly string[] = [closeMark, ...thinkingMarks.map(({ open }) => open)];

/**
 * Thinking at `at`: where it ends, and whether it began before the text did (templates that put the opening
 * mark into the prompt leave only the closing one). Undefined when there is none.
 */
export function readThinking(source: Source, at: number): { end: number; fromStart: boolean } | undefined {
  const { text } = source;
  if (text.startsWith(closeMark, at))
    return isQuoted(text, at, closeMark) ? undefined : { end: at + closeMark.length, fromStart: true };
  for (const { open, close } of thinkingMarks) {
    if (!text.startsWith(open, at) || isQuoted(text, at, open)) continue;
    const closing = source.find(close, at + open.length);
    if (closing !== -1) return { end: closing + close.length, fromStart: false };
    if (open === '<think>') return { end: text.length, fromStart: false };
  }
  return undefined;
}

/** A mark between backticks is spoken about, not used. */
function isQuoted(text: string, at: number, mark: string): boolean {
  return text[at - 1] === '`' && text[at + mark.length] === '`';
}

/** The text without the thinking before it, for answers that must be one object. */
export function afterThinking(text: string): string {
  let rest = text.trimStart();
  while (rest.startsWith('<think>')) {
    const closing = rest.indexOf(closeMark);
    if (closing === -1) return '';
    rest = rest.slice(closing + closeMark.length).trimStart();
  }
  const orphan = rest.startsWith('{') ? -1 : rest.indexOf(closeMark);
  return (orphan === -1 ? rest : rest.slice(orphan + closeMark.length)).trim();
}
