/** Interface of a guard, which evaluates the calls of each answer before they run, and their results afterwards. */
import type { ChatMessage } from '../../../model/chat.ts';
import type { Ending } from '../../task/ending.ts';
import type { ToolCallResult } from '../../../tools/types.ts';

export interface IterationCall {
  name: string;
  arguments: unknown;
}

/**
 * The ending of the stage, or a warning for the model after the results; undefined if the guard does not object. `isStuck`: the model is
 * likely to repeat itself, so its next answer gets a higher temperature.
 */
export type GuardVerdict = { ending: Ending } | { warning: ChatMessage; isStuck?: boolean } | undefined;

export interface Guard {
  /** Evaluates the calls of an answer before they run. If it returns an ending, they do not run. */
  checkCalls(calls: readonly IterationCall[]): Promise<GuardVerdict> | GuardVerdict;
  /** Evaluates the results of the round's reading calls. Never rejects. */
  checkResults?(readResults: readonly ToolCallResult[]): Promise<GuardVerdict>;
}
