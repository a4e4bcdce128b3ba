/** The stage of the loop, and its state between rounds. */
import type { ChatMessage } from '../../model/chat.ts';
import type { Stage } from '../model-calls/stage.ts';
import type { Guard } from './guards/guard.ts';
import { RepetitionGuard } from './guards/repetition.ts';
import { StallGuard } from './guards/stall.ts';
import type { QuickChecks } from './quick-checks.ts';
import type { ToolRunner } from './tool-runner.ts';
import { TreeWatch } from './tree-watch.ts';

/** The corrections that are left for answers without a call. Stages of a task can share them. */
export interface CorrectionBudget {
  /** Number of corrections that are left for empty answers. */
  continuationRequests: number;
  /** Number of corrections that are left for answers that changed nothing. */
  reminders: number;
}

export const createCorrectionBudget = (): CorrectionBudget => ({ continuationRequests: 2, reminders: 2 });

/** A stage of the loop. `sampling` applies to its first answer only. */
export interface LoopStage extends Stage {
  readonly tools: ToolRunner;
  /** The task's checks between rounds. */
  readonly checks: QuickChecks;
  readonly corrections: CorrectionBudget;
  /** Whether the stage should change files. If not, stalls and missing changes are not checked. */
  readonly shouldChangeFiles: boolean;
}

export interface LoopState {
  /** Number of the round, from 1. */
  round: number;
  malformedInRow: number;
  /** Whether the last answer was useless. If so, the next answer gets a higher temperature. */
  isStuck: boolean;
  readonly watch: TreeWatch;
  readonly guards: readonly Guard[];
}

export function createLoopState({ shouldChangeFiles, run }: LoopStage): LoopState {
  const watch = new TreeWatch(shouldChangeFiles && !run.limits.readOnly ? run.workspace : undefined);
  const guards = [new StallGuard(watch), new RepetitionGuard()];
  return { round: 0, malformedInRow: 0, isStuck: false, watch, guards };
}

/** Adds a message for the model to the conversation and to the session log. */
export function addMessage({ conversation, run }: LoopStage, message: ChatMessage): void {
  conversation.add(message);
  run.observer?.recordMessage('USER', message.content);
}
