/**
 * Shortens tool results for compaction: old results to one line, recent ones to a maximum length. Calls remain unchanged, so every call
 * still has its result.
 */
import type { ChatMessage } from '../../model/chat.ts';
import { clip, shortenMiddle } from '../../base/values/shortening.ts';
import { RESULTS_PREFIX, isToolResult } from './loop-messages.ts';

/** Maximum length of results that remain unchanged. */
const MAX_UNCHANGED_CHARS = 200;
const FIRST_LINE_CHARS = 110;
const LAST_LINE_CHARS = 50;
/** Length of the marker in a shortened text. If shortening saves less, the text remains unchanged. */
const MARKER_CHARS = 100;

/** Shortens each result of a message to one line. Returns the same object if nothing changes. */
export function shortenToOneLine(message: ChatMessage): ChatMessage {
  return mapResults(message, (text) => {
    const lines = text.trim().split('\n');
    if (lines.length === 1 && text.length <= MAX_UNCHANGED_CHARS) return text;
    const firstLine = clip(lines[0] ?? '', FIRST_LINE_CHARS);
    const lastLine = lines.length > 1 ? ` … ${clip(lines.at(-1) ?? '', LAST_LINE_CHARS)}` : '';
    return `${firstLine}${lastLine} [old result of ${lines.length} lines, shortened]`;
  });
}

/** Removes the note at the end of a shortened line. */
export const removeNote = (line: string): string =>
  line.replace(/ \[old result of \d+ lines, shortened\]$/, '');

/** Shortens each result of a message to about `maxChars`. The beginning and the end remain, with a marker in between. */
export function shortenToLength(message: ChatMessage, maxChars: number): ChatMessage {
  return mapResults(message, (text) => {
    if (text.length <= maxChars + MARKER_CHARS) return text;
    const mark = (removed: number): string =>
      `\n[... ${removed} characters left out to save room; ask for a smaller part if you need them ...]\n`;
    return shortenMiddle(text, maxChars, mark);
  });
}

/** Returns the length of the longest result in a message, in characters; 0 if there is none. */
export function measureLongestResult(message: ChatMessage): number {
  let longest = 0;
  mapResults(message, (text) => {
    longest = Math.max(longest, text.length);
    return text;
  });
  return longest;
}

/** A result in a results message of structured or text mode: its mark (`[1] name ✓ `) and its text. */
export interface ResultEntry {
  header: string;
  text: string;
}

/**
 * Splits a results message into its results. A new result begins only with the next number in sequence, so output rarely looks like one. If
 * it does, only the shortening is affected.
 */
export function splitResults(content: string): ResultEntry[] {
  const entries: ResultEntry[] = [];
  for (const line of content.slice(RESULTS_PREFIX.length + 1).split('\n')) {
    const [, mark, number, text] = /^(\[(\d+)\] \S+ (?:✓|❌) ?)(.*)$/s.exec(line) ?? [];
    const last = entries.at(-1);
    if (mark !== undefined && Number(number) === entries.length + 1)
      entries.push({ header: mark, text: text ?? '' });
    else if (last) last.text += `\n${line}`;
  }
  return entries;
}

/** Applies `change` to the text of each result. A results message that cannot be split counts as one result. */
function mapResults(message: ChatMessage, change: (text: string) => string): ChatMessage {
  if (!isToolResult(message)) return message;
  const entries = message.role === 'tool' ? [] : splitResults(message.content);
  const content =
    entries.length === 0
      ? change(message.content)
      : [RESULTS_PREFIX, ...entries.map(({ header, text }) => header + change(text))].join('\n');
  return content === message.content ? message : { ...message, content };
}
