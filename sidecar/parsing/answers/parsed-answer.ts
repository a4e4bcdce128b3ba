import type { Span } from '../../base/values/span.ts';

/**
 * A call in an answer. `arguments` is an object, or the raw text if it cannot be parsed; dispatch then returns an error for this call only.
 */
export interface ParsedCall {
  /** Id of the call; set only if the model or the server sent one. */
  id?: string;
  /** Tool name as the model wrote it, without template marks. The registry resolves aliases. */
  name: string;
  arguments: Record<string, unknown> | string;
  /** Set if the call was repaired or values were converted to the schema's types. */
  repaired?: true;
}

/** Maximum number of calls in one answer. A degenerate model writes more, and their results would overflow a small context window. */
export const MAX_CALLS = 100;

export type ParsedAnswer =
  | {
      type: 'tool_calls';
      calls: ParsedCall[];
      /** Form of the first call: parsed by the server (`native`), JSON without marks (`json`), or between marks (`tagged`). */
      layer: 'native' | 'json' | 'tagged';
      /** Dialect of the first call, for logs and metrics. */
      family?: string;
      /** Prose before the first call, if any. Text after a call is dropped. */
      content?: string;
      /** Set if calls beyond `MAX_CALLS` were left out. */
      hasMore?: true;
      /** Reason why the text after these calls cannot be read, with advice for the model. */
      unread?: string;
    }
  | { type: 'final_answer'; content: string }
  | { type: 'approval'; question: string }
  | { type: 'malformed'; reason: string; content: string }
  | { type: 'empty'; content: '' };

export type ParseMode = 'native' | 'structured' | 'text';

/** A call as it was read, before its arguments are named and converted. */
export interface RawCall {
  name: string;
  /** Arguments of the call: an object, JSON text, or any other value that the model wrote. */
  arguments: unknown;
  id?: string;
  /** Set if the call violates its dialect's grammar but its content is certain. */
  repaired?: boolean;
  /**
   * Reason why the arguments may be incomplete, with advice for the model. If the call has effects, it is not run, and the model gets the
   * reason.
   */
  doubt?: string;
  /** Like `doubt`, but ignored if the call has each required value of its tool exactly once and no unknown value. */
  doubtUnlessWhole?: string;
  /** Set if the dialect writes every value as text, so that converting a value to the schema's type is no repair. */
  isText?: true;
  /** Values without names, in the order of the schema's properties. */
  positional?: unknown[];
}

/** A part of an answer that may contain calls, or an object with an answer in place of calls. */
export interface CallCandidate extends Span {
  calls: RawCall[];
  /** Dialect of the candidate; undefined for bare JSON. */
  family?: string;
  /** Whether the candidate is between the marks of a dialect. */
  isMarked: boolean;
  /** Reason why the text after these calls cannot be read, although it begins like a call. */
  problem?: string | undefined;
  /** Answer in an object without calls. */
  answer?: ParsedAnswer;
}

/** Returns the answer of `{"response": "…"}` or `{"request_approval": "…"}`. */
export function answerOfKey(key: 'response' | 'request_approval', value: unknown): ParsedAnswer {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  if (text.trim() === '') return { type: 'empty', content: '' };
  return key === 'response' ? { type: 'final_answer', content: text } : { type: 'approval', question: text };
}

export const formatNotRun = (name: string, reason: string): string =>
  `the call of ${name} was not run: ${reason}`;

/** Advice for the model if the end of a text in its call cannot be determined. */
export const jsonAdvice =
  'Send the whole call again as valid JSON: inside a text write \\" for each quote and \\n for each line break';
export const elementAdvice = 'Send the whole call again and close every value with its tag';
export const pythonAdvice =
  'Send the whole call again, with each quote, backslash and line break inside a text escaped';
export const cutOffReason = 'the tool call is cut off in the middle of a value';
export const earlyCutOffReason = 'the tool call is cut off before its arguments';
