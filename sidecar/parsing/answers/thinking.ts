/**
 * Reads thinking that a server left in the content. An unclosed `<think>` extends to the end of the text. The
 * other marks need a closing mark, because they may be ordinary text.
 */
import type { Span } from './result.ts';
import { AnswerText } from './source.ts';

const marks = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<|thought_start|>', close: '<|thought_end|>' },
  { open: '<|channel|>analysis<|message|>', close: '<|end|>' },
];
const closeMark = '</think>';

/** Span of thinking with its marks; `inside` is the part between the marks. */
export interface Thinking extends Span {
  inside: Span;
}

/**
 * Reads thinking at `at`. Returns undefined if there is none. A closing mark without an opening mark means
 * that the template put the opening mark into the prompt; the thinking then began with the text.
 */
export function readThinking(source: AnswerText, at: number): Thinking | undefined {
  const { text } = source;
  if (text.startsWith(closeMark, at))
    return isQuoted(text, at, closeMark)
      ? undefined
      : { start: 0, end: at + closeMark.length, inside: { start: 0, end: at } };
  for (const { open, close } of marks) {
    if (!text.startsWith(open, at) || isQuoted(text, at, open)) continue;
    const start = at + open.length;
    const closing = source.find(close, start);
    if (closing !== -1) return { start: at, end: closing + close.length, inside: { start, end: closing } };
    if (open === '<think>') return { start: at, end: text.length, inside: { start, end: text.length } };
  }
  return undefined;
}

/** Returns whether a mark is in backticks and therefore only mentioned. */
const isQuoted = (text: string, at: number, mark: string): boolean =>
  text[at - 1] === '`' && text[at + mark.length] === '`';

/** Returns the text after the thinking, for an answer that must be one object. */
export function removeThinking(text: string): string {
  const source = new AnswerText(text);
  let at = source.skipSpace(0);
  for (let thinking; (thinking = readThinking(source, at)); at = source.skipSpace(thinking.end));
  const closeIndex = text[at] === '{' ? -1 : source.find(closeMark, at);
  return text.slice(closeIndex === -1 ? at : closeIndex + closeMark.length).trim();
}
