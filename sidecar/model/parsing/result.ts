/**
 * What reading an answer gives: one closed set of outcomes, and the calls in them.
 * Arguments are an object, or the raw text when it is not JSON even after repair: dispatch then answers an
 * error for that call only, so the other calls of the round still run.
 */
export interface ParsedCall {
  /** Only when the model or the server gave one. */
  id?: string;
  /** As the model wrote it; the registry resolves aliases. */
  name: string;
  arguments: Record<string, unknown> | string;
  /** The call was nearly right and was mended, or values were brought into the types that the schema wants. */
  repaired?: true;
}

/** More calls in one answer are a model gone wild: only so many are taken, which the window of a small model still holds. */
export const maxCalls = 100;

/** Where the calls were found; the first layer that has any wins. */
export type Layer = 'native' | 'json' | 'tagged';

export type ParsedAnswer =
  | {
      type: 'tool_calls';
      calls: ParsedCall[];
      layer: Layer;
      /** The row of the table of formats that matched, for the log and the metrics. */
      family?: string;
      /** Prose before the first call, when there is any; what follows a call is left out. */
      content?: string;
      /** There were more than `maxCalls`: the rest is left out. */
      hasMore?: true;
    }
  | { type: 'final_answer'; content: string }
  | { type: 'approval'; question: string }
  | { type: 'malformed'; reason: string; content: string }
  | { type: 'empty'; content: '' };

export type ParseMode = 'native' | 'structured' | 'text';

/** A call as a format's reader found it, before coercion by the tool's schema. */
export interface RawCall {
  name: string;
  /** An object, JSON text, or anything else that a model put there. */
  arguments: unknown;
  id?: string;
  repaired?: boolean;
  /** Why what arrived may not be what was written, and what to send instead: a call with effects is not run then. */
  uncertain?: string;
  /** Every value is text in this format: giving it the type of the schema mends nothing. */
  isText?: true;
  /** Values without names (pythonic); they get the names of the schema's properties, in order. */
  positional?: unknown[];
}
