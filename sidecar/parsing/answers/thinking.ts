/**
 * Reads thinking that a server left in the content. `<think>` without a closing mark extends to the end of the text. The other marks need a
 * closing mark, because they may be ordinary text.
 */
import type { Span } from '../../base/values/span.ts';
import { AnswerText } from './answer-text.ts';

const thinkingMarks = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<|thought_start|>', close: '<|thought_end|>' },
  { open: '<|channel|>analysis<|message|>', close: '<|end|>' },
];
const closeMark = '</think>';

/** Span of thinking, including its marks. `inside`: part between the marks. */
export interface Thinking extends Span {
  content: Span;
}

/**
 * Reads thinking at `offset`. Returns undefined if there is none. A closing mark without an opening mark means that the opening mark was in
 * the prompt, so the thinking started at the beginning of the text.
 */
export function readThinking(source: AnswerText, offset: number): Thinking | undefined {
  const { text } = source;
  if (text.startsWith(closeMark, offset))
    return isQuoted(text, offset, closeMark)
      ? undefined
      : { start: 0, end: offset + closeMark.length, content: { start: 0, end: offset } };
  for (const { open, close } of thinkingMarks) {
    if (!text.startsWith(open, offset) || isQuoted(text, offset, open)) continue;
    const start = offset + open.length;
    const closing = source.find(close, start);
    if (closing !== -1)
      return { start: offset, end: closing + close.length, content: { start, end: closing } };
    if (open === '<think>') return { start: offset, end: text.length, content: { start, end: text.length } };
  }
  return undefined;
}

/** Returns whether a mark is in backticks and therefore only mentioned. */
const isQuoted = (text: string, offset: number, mark: string): boolean =>
  text[offset - 1] === '`' && text[offset + mark.length] === '`';

/** Returns the text after the thinking, for answers that must consist of one object. */
export function removeThinking(text: string): string {
  const source = new AnswerText(text);
  let offset = source.skipSpace(0);
  for (let thinking; (thinking = readThinking(source, offset)); offset = source.skipSpace(thinking.end));
  const closeIndex = text[offset] === '{' ? -1 : source.find(closeMark, offset);
  return text.slice(closeIndex === -1 ? offset : closeIndex + closeMark.length).trim();
}
