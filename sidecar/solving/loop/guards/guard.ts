/** Interface of a guard, which evaluates the calls of each answer before they run, and their results afterwards. */
import type { ChatMessage } from '../../../model/chat.ts';
import type { Ending } from '../../task/ending.ts';
import type { ToolCallResult } from '../../../tools/types.ts';

export interface IterationCall {
  name: string;
  arguments: unknown;
}

/**
 * The end of the stage, or a warning for the model after the results; undefined if there is no objection. `isStuck`: the model is likely to
 * repeat itself, so its next answer gets a higher temperature.
 */
export type Verdict = { ending: Ending } | { warning: ChatMessage; isStuck?: boolean } | undefined;

export interface Guard {
  /** Evaluates the calls of an answer. An ending prevents them from running. */
  beforeCalls(calls: readonly IterationCall[]): Promise<Verdict> | Verdict;
  /** Evaluates a round by the results of its reading calls. Never rejects. */
  afterCalls?(shown: readonly ToolCallResult[]): Promise<Verdict>;
}
