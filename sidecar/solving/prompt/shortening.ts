/**
 * Shortens tool results for compaction: old ones to one line, recent ones to a number of characters. Calls are never
 * touched, so every call still has its result.
 */
import type { ChatMessage } from '../../model/chat.ts';
import { clip, shortenMiddle } from '../../base/values/shortening.ts';
import { RESULTS_PREFIX, isToolResult } from './loop-messages.ts';

/** Results up to this length stay unchanged. */
const ONE_LINE_CHARS = 200;
const FIRST_LINE_CHARS = 110;
const LAST_LINE_CHARS = 50;
/** The length of a cut's marker: cuts that save less are not made. */
const MARKER_CHARS = 100;

/** Shortens each result of a message to one line; returns the same object if nothing changes. */
export function toOneLine(message: ChatMessage): ChatMessage {
  return mapResults(message, (text) => {
    const lines = text.trim().split('\n');
    if (lines.length === 1 && text.length <= ONE_LINE_CHARS) return text;
    const first = clip(lines[0] ?? '', FIRST_LINE_CHARS);
    const last = lines.length > 1 ? ` … ${clip(lines.at(-1) ?? '', LAST_LINE_CHARS)}` : '';
    return `${first}${last} [old result of ${lines.length} lines, shortened]`;
  });
}

/** Removes the note that marks a shortened line. */
export const removeNote = (line: string): string =>
  line.replace(/ \[old result of \d+ lines, shortened\]$/, '');

/** Cuts each result of a message to about `maxChars`, with head and tail around a marker. */
export function shortenToLength(message: ChatMessage, maxChars: number): ChatMessage {
  return mapResults(message, (text) => {
    if (text.length <= maxChars + MARKER_CHARS) return text;
    const mark = (removed: number): string =>
      `\n[... ${removed} characters left out to save room; ask for a smaller part if you need them ...]\n`;
    return shortenMiddle(text, maxChars, mark);
  });
}

/** Returns the length of the message's longest result in characters; 0 without results. */
export function longestResult(message: ChatMessage): number {
  let longest = 0;
  mapResults(message, (text) => {
    longest = Math.max(longest, text.length);
    return text;
  });
  return longest;
}

/** An entry of a results message in structured and text mode: its mark (`[1] name ✓ `) and its text. */
export interface ResultEntry {
  mark: string;
  text: string;
}

/**
 * Splits a results message into its entries. Only the next number in turn begins an entry, so output rarely looks like one;
 * then only the shortening is affected.
 */
export function splitResults(content: string): ResultEntry[] {
  const entries: ResultEntry[] = [];
  for (const line of content.slice(RESULTS_PREFIX.length + 1).split('\n')) {
    const [, mark, number, text] = /^(\[(\d+)\] \S+ (?:✓|❌) ?)(.*)$/s.exec(line) ?? [];
    const last = entries.at(-1);
    if (mark !== undefined && Number(number) === entries.length + 1) entries.push({ mark, text: text ?? '' });
    else if (last) last.text += `\n${line}`;
  }
  return entries;
}

/** Applies `change` to each result; a results message without entries counts as one result. */
function mapResults(message: ChatMessage, change: (text: string) => string): ChatMessage {
  if (!isToolResult(message)) return message;
  const entries = message.role === 'tool' ? [] : splitResults(message.content);
  const content =
    entries.length === 0
      ? change(message.content)
      : [RESULTS_PREFIX, ...entries.map(({ mark, text }) => mark + change(text))].join('\n');
  return content === message.content ? message : { ...message, content };
}
