/**
 * The outcome of reading an answer: one closed set of outcomes, and the calls in them. Arguments are an object, or the raw
 * text where it is none: dispatch then answers an error for that call only.
 */
export interface ParsedCall {
  /** Only when the model or the server gave one. */
  id?: string;
  /** As the model wrote it, without the marks of its template; the registry resolves aliases. */
  name: string;
  arguments: Record<string, unknown> | string;
  /** The call was nearly right and was mended, or values were brought into the types that the schema wants. */
  repaired?: true;
}

/** More calls in one answer are a model gone wild: only so many are taken, which the window of a small model still holds. */
export const maxCalls = 100;

export type ParsedAnswer =
  | {
      type: 'tool_calls';
      calls: ParsedCall[];
      /** How the first call was written: read by the server, bare JSON, or between marks. */
      layer: 'native' | 'json' | 'tagged';
      /** The dialect of the first call, for the log and the metrics. */
      family?: string;
      /** Prose before the first call, when there is any; what follows a call is left out. */
      content?: string;
      /** There were more than `maxCalls`: the rest is left out. */
      hasMore?: true;
      /** Why the calls behind these were not taken: what cannot be read, with advice for the model. */
      unread?: string;
    }
  | { type: 'final_answer'; content: string }
  | { type: 'approval'; question: string }
  | { type: 'malformed'; reason: string; content: string }
  | { type: 'empty'; content: '' };

export type ParseMode = 'native' | 'structured' | 'text';

/** A call as a body's reader found it, before its arguments have names and types. */
export interface RawCall {
  name: string;
  /** An object, JSON text, or anything else that a model put there. */
  arguments: unknown;
  id?: string;
  /** It was not written by the grammar of its dialect; what it says is certain. */
  repaired?: boolean;
  /** Why what arrived may not be what was written, and what to send instead. A call with effects is sent back then. */
  doubt?: string;
  /** Counts like `doubt` unless the call has each value that its tool needs once, and no other. */
  doubtUnlessWhole?: string;
  /** Every value is text in this dialect: giving it the type of the schema mends nothing. */
  isText?: true;
  /** Values without names, which get the names of the schema's properties, in order. */
  positional?: unknown[];
}

/** A part of the text, from `start` up to `end`. */
export interface Span {
  start: number;
  end: number;
}

/** Something in an answer that may be calls, or what stands in place of them. */
export interface Candidate extends Span {
  calls: RawCall[];
  /** The dialect; undefined for bare JSON. */
  family?: string;
  /** The marks of a dialect say that it is a call. */
  isMarked: boolean;
  /** Why what stands behind these calls cannot be read, though it began like a call. */
  problem?: string | undefined;
  /** The text of an object that stands in place of calls. */
  said?: ParsedAnswer;
}

/** `{"response": "…"}` or `{"request_approval": "…"}`. */
export function said(key: 'response' | 'request_approval', value: unknown): ParsedAnswer {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  if (text.trim() === '') return { type: 'empty', content: '' };
  return key === 'response' ? { type: 'final_answer', content: text } : { type: 'approval', question: text };
}

/** Why a call was not run, for the model. */
export const notRun = (name: string, reason: string): string => `the call of ${name} was not run: ${reason}`;

/** The advice for a call in which one text cannot be separated from the next. */
export const jsonAdvice =
  'Send the whole call again as valid JSON: inside a text write \\" for each quote and \\n for each line break';
export const elementAdvice = 'Send the whole call again and close every value with its tag';
export const pythonAdvice =
  'Send the whole call again, with each quote, backslash and line break inside a text escaped';
export const cutOff = 'the tool call is cut off in the middle of a value';
export const cutOffBefore = 'the tool call is cut off before its arguments';
