/** The stage of the loop, and its state between rounds. */
import type { ChatMessage } from '../../model/chat.ts';
import type { Stage } from '../model-calls/stage.ts';
import type { Guard } from './guards/guard.ts';
import { RepetitionGuard } from './guards/repetition.ts';
import { StallGuard } from './guards/stall.ts';
import type { QuickChecks } from './quick-checks.ts';
import type { ToolRunner } from './tool-runner.ts';
import { TreeWatch } from './tree-watch.ts';

/** Remaining corrections for answers without a call; the stages of a task can share them. */
export interface Patience {
  /** Corrections for empty answers. */
  nudges: number;
  /** Corrections for answers that changed nothing. */
  reminders: number;
}

export const newPatience = (): Patience => ({ nudges: 2, reminders: 2 });

/** A stage of the loop. `sampling` applies only to its first answer. */
export interface LoopStage extends Stage {
  readonly tools: ToolRunner;
  /** The task's checks between rounds. */
  readonly checks: QuickChecks;
  readonly patience: Patience;
  /** Whether the stage should change files. If not, the checks for stalls and for missing changes are off. */
  readonly isToChange: boolean;
}

export interface LoopState {
  /** Counts from 1. */
  round: number;
  malformedInRow: number;
  /** Whether the last answer was useless, so that the next one gets a higher temperature. */
  isStuck: boolean;
  readonly watch: TreeWatch;
  readonly guards: readonly Guard[];
}

export function newLoopState({ isToChange, run }: LoopStage): LoopState {
  const watch = new TreeWatch(isToChange && !run.limits.readOnly ? run.workspace : undefined);
  const guards = [new StallGuard(watch), new RepetitionGuard()];
  return { round: 0, malformedInRow: 0, isStuck: false, watch, guards };
}

/** Adds a message for the model. */
export function addMessage({ conversation, run }: LoopStage, message: ChatMessage): void {
  conversation.add(message);
  run.observer?.said('USER', message.content);
}
