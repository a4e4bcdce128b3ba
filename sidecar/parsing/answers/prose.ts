/** Extracts the prose of an answer: the text without thinking, calls and marks of chat templates. */
import type { Span } from '../../base/values/span.ts';

/** Returns the text between two positions without `removedSpans`, which must be ordered by start. Stops after `maxChars`. */
export function extractVisibleText(
  text: string,
  removedSpans: readonly Span[],
  from: number,
  to: number,
  maxChars = Infinity,
): string {
  let visible = '';
  let position = from;
  for (const { start, end } of removedSpans) {
    if (start >= to || visible.length > maxChars) break;
    if (end <= position) continue;
    if (start > position) visible += text.slice(position, start);
    position = end;
  }
  return position < to ? visible + text.slice(position, to) : visible;
}

const templateMark =
  '(?:<\\|(?:start|im_start)\\|>(?:assistant)?|<\\|channel\\|>\\w{1,20}<\\|message\\|>|<\\|\\w{1,40}\\|>|<｜[\\w▁]{1,40}｜>|</?s>|' +
  '<(?:start|end)_of_turn>(?:model)?|</(?:tool_calls?|function_calls?)>|>>>all\\n)';
const leadingMarks = new RegExp(`^(?:\\s|${templateMark})+`);
const trailingMark = new RegExp(`${templateMark}$`);

/** Removes white space and template marks at both ends. */
export function trimProse(text: string): string {
  let trimmed = text.replace(leadingMarks, '').trim();
  for (;;) {
    const mark = trailingMark.exec(trimmed.slice(-100))?.[0];
    if (mark === undefined) return trimmed;
    trimmed = trimmed.slice(0, -mark.length).trim();
  }
}

/** Returns the prose before a call, without the opening of a list or a code fence that is part of the call. */
export function extractProseBeforeCall(text: string): string {
  const unlisted = text.trimEnd().replace(/\[$/, '').trimEnd();
  return trimProse(unlisted.replace(/```[a-z_]{0,20}$/i, ''));
}

export const MAX_BLANK_CHARS = 1000;

/** Returns whether a text has only white space, code fences, backticks, list brackets, separators, comment marks and template marks. */
export function isBlank(text: string): boolean {
  if (text.length > MAX_BLANK_CHARS) return false;
  return /^(?:[\s[\],;`]|```[\w+#.-]{0,30}|~~~[\w+#.-]{0,30}|<!--|-->)*$/.test(trimProse(text));
}
