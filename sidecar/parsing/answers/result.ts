/**
 * The outcome of reading an answer, and its calls. Arguments are an object, or the raw text if they are none; dispatch
 * then returns an error for that call only.
 */
export interface ParsedCall {
  /** Set only if the model or the server gave one. */
  id?: string;
  /** As the model wrote it, without template marks; the registry resolves aliases. */
  name: string;
  arguments: Record<string, unknown> | string;
  /** Set if the call was repaired or values were converted to the schema's types. */
  repaired?: true;
}

/** Limit of calls in one answer: a degenerate model writes more, and their results would overflow a small window. */
export const maxCalls = 100;

export type ParsedAnswer =
  | {
      type: 'tool_calls';
      calls: ParsedCall[];
      /** How the first call was written: parsed by the server, bare JSON, or between marks. */
      layer: 'native' | 'json' | 'tagged';
      /** The dialect of the first call, for logs and metrics. */
      family?: string;
      /** Prose before the first call, if any; text after a call is left out. */
      content?: string;
      /** Set if calls beyond `maxCalls` were left out. */
      hasMore?: true;
      /** Why the text after these calls cannot be read, with advice for the model. */
      unread?: string;
    }
  | { type: 'final_answer'; content: string }
  | { type: 'approval'; question: string }
  | { type: 'malformed'; reason: string; content: string }
  | { type: 'empty'; content: '' };

export type ParseMode = 'native' | 'structured' | 'text';

/** A call as read from a body, before its arguments are named and typed. */
export interface RawCall {
  name: string;
  /** An object, JSON text, or any other value that a model gave. */
  arguments: unknown;
  id?: string;
  /** Set if the call violated its dialect's grammar; its content is certain. */
  repaired?: boolean;
  /** Why the arguments may be incomplete, with advice for the model. A call with effects is then sent back. */
  doubt?: string;
  /** Counts like `doubt` unless the call has each required value of its tool once, and no unknown one. */
  doubtUnlessWhole?: string;
  /** Set if the dialect writes every value as text: converting it to the schema's type is no repair. */
  isText?: true;
  /** Values without names, in the order of the schema's properties. */
  positional?: unknown[];
}

export interface Span {
  start: number;
  end: number;
}

/** A part of an answer that may be calls, or an object in place of them. */
export interface CallCandidate extends Span {
  calls: RawCall[];
  /** The dialect; undefined for bare JSON. */
  family?: string;
  /** Whether the marks of a dialect enclose it. */
  isMarked: boolean;
  /** Why the text after these calls cannot be read although it began like a call. */
  problem?: string | undefined;
  /** The answer of an object in place of calls. */
  said?: ParsedAnswer;
}

/** Returns the answer of `{"response": "…"}` or `{"request_approval": "…"}`. */
export function said(key: 'response' | 'request_approval', value: unknown): ParsedAnswer {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  if (text.trim() === '') return { type: 'empty', content: '' };
  return key === 'response' ? { type: 'final_answer', content: text } : { type: 'approval', question: text };
}

export const notRun = (name: string, reason: string): string => `the call of ${name} was not run: ${reason}`;

/** Advice for a call in which one text cannot be separated from the next. */
export const jsonAdvice =
  'Send the whole call again as valid JSON: inside a text write \\" for each quote and \\n for each line break';
export const elementAdvice = 'Send the whole call again and close every value with its tag';
export const pythonAdvice =
  'Send the whole call again, with each quote, backslash and line break inside a text escaped';
export const cutOff = 'the tool call is cut off in the middle of a value';
export const cutOffBefore = 'the tool call is cut off before its arguments';
