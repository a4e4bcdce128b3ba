/** A guard of the loop: judges the calls of each answer before they run, and their results after. */
import type { ChatMessage } from '../../../model/chat.ts';
import type { Ending } from '../../task/ending.ts';
import type { ToolCallResult } from '../../../tools/types.ts';

export interface RoundCall {
  name: string;
  arguments: unknown;
}

/**
 * The end of the stage, or a warning for the model below the results. `isStuck`: the model is likely to repeat itself, so its
 * next answer is drawn differently. Undefined: nothing to object to.
 */
export type Verdict = { ending: Ending } | { warning: ChatMessage; isStuck?: boolean } | undefined;

export interface Guard {
  /** Judges the calls of an answer. An ending prevents them from running. */
  beforeCalls(calls: readonly RoundCall[]): Promise<Verdict> | Verdict;
  /** Judges a round by the results of its calls that read. Never rejects. */
  afterCalls?(shown: readonly ToolCallResult[]): Promise<Verdict>;
}
