/**
 * Tool results made shorter for compaction: to one line once they are old, or to a number of characters while
 * they are recent. Only results are touched, never a call, so that no call loses its result.
 */
import type { ChatMessage } from '../model/chat.ts';
import { clip, endsOf } from '../values/shortening.ts';
import { RESULTS_PREFIX, isToolResult } from './loop-messages.ts';

/** A result that is this short already stays as it is. */
const ONE_LINE_CHARS = 200;
const FIRST_LINE_CHARS = 110;
const LAST_LINE_CHARS = 50;
/** The length of a cut's marker; a cut that saves less than that is none. */
const MARKER_CHARS = 100;

/** The message with each of its results as one line; the same object when nothing changes or it holds no result. */
export function toOneLine(message: ChatMessage): ChatMessage {
  return mapResults(message, (text) => {
    const lines = text.trim().split('\n');
    if (lines.length === 1 && text.length <= ONE_LINE_CHARS) return text;
    const first = clip(lines[0] ?? '', FIRST_LINE_CHARS);
    const last = lines.length > 1 ? ` … ${clip(lines.at(-1) ?? '', LAST_LINE_CHARS)}` : '';
    return `${first}${last} [old result of ${lines.length} lines, shortened]`;
  });
}

/** A shortened line without the note that says so. */
export const withoutNote = (line: string): string =>
  line.replace(/ \[old result of \d+ lines, shortened\]$/, '');

/** The message with each of its results cut to about `maxChars`, head and tail kept around a marker. */
export function toLength(message: ChatMessage, maxChars: number): ChatMessage {
  return mapResults(message, (text) => {
    if (text.length <= maxChars + MARKER_CHARS) return text;
    const mark = (removed: number): string =>
      `\n[... ${removed} characters left out to save room; ask for a smaller part if you need them ...]\n`;
    return endsOf(text, maxChars, mark);
  });
}

/** Length of the longest result in the message, in characters; 0 where there is none. */
export function longestResult(message: ChatMessage): number {
  let longest = 0;
  mapResults(message, (text) => {
    longest = Math.max(longest, text.length);
    return text;
  });
  return longest;
}

/** A result inside of a results message of structured and text mode: its mark (`[1] name ✓ `) and its text. */
export interface ResultEntry {
  mark: string;
  text: string;
}

/**
 * Splits a results message into its entries. An entry begins at the next number in turn only, so that
 * output which looks like an entry rarely splits one; when it does, only the shortening is off.
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

/** Applies `change` to each result; a results message that holds no entry is one result. */
function mapResults(message: ChatMessage, change: (text: string) => string): ChatMessage {
  if (!isToolResult(message)) return message;
  const entries = message.role === 'tool' ? [] : splitResults(message.content);
  const content =
    entries.length === 0
      ? change(message.content)
      : [RESULTS_PREFIX, ...entries.map(({ mark, text }) => mark + change(text))].join('\n');
  return content === message.content ? message : { ...message, content };
}
