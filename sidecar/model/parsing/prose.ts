/**
 * The prose of an answer: what is left when thinking, calls and the marks of chat templates are taken off.
 */
export interface Span {
  start: number;
  end: number;
}

/** The text between two positions without the spans that are no part of the prose (in order of their start). */
export function visibleText(text: string, removed: readonly Span[], from: number, to: number): string {
  let kept = '';
  let position = from;
  for (const { start, end } of removed) {
    if (end <= position || start >= to) continue;
    if (start > position) kept += text.slice(position, start);
    position = end;
  }
  return position < to ? kept + text.slice(position, to) : kept;
}

/** Marks that chat templates put around an answer; they never belong to its text. */
const edgeMarks = [
  '<|message_sep|>',
  '<|start|>assistant',
  '<|im_start|>assistant',
  '<|channel|>final<|message|>',
  '<|channel|>commentary<|message|>',
  '<|end|>',
  '<|return|>',
  '<|im_end|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|START_RESPONSE|>',
  '<|END_RESPONSE|>',
  '<｜end▁of▁sentence｜>',
  '</s>',
  '</tool_calls>',
  '</function_calls>',
  '<｜tool▁calls▁end｜>',
  '<|tool_calls_section_end|>',
  '>>>all\n',
];

/** The text without white space and template marks at its ends. */
export function trimProse(text: string): string {
  let trimmed = text.trim();
  for (let rounds = 0; rounds < 2 * edgeMarks.length; rounds += 1) {
    const leading = edgeMarks.find((mark) => trimmed.startsWith(mark));
    const trailing = edgeMarks.find((mark) => trimmed.endsWith(mark));
    if (leading === undefined && trailing === undefined) break;
    if (leading !== undefined) trimmed = trimmed.slice(leading.length).trim();
    if (trailing !== undefined && trimmed.endsWith(trailing))
      trimmed = trimmed.slice(0, -trailing.length).trim();
  }
  return trimmed;
}

/** Prose that a call follows: without the opening of a list or code fence that belongs to the call. */
export function proseBeforeCall(text: string): string {
  const trimmed = text.trimEnd();
  const unlisted = trimmed.endsWith('[') ? trimmed.slice(0, -1).trimEnd() : trimmed;
  return trimProse(unlisted.replace(/```[a-z_]{0,20}$/i, ''));
}

/** Nothing but white space, a code fence, list brackets, separators and template marks. */
export function isBlank(text: string): boolean {
  return text.length < 300 && /^[\s[\],;]*(```[a-z_]{0,20}[\s[\],;]*)?$/i.test(trimProse(text));
}
