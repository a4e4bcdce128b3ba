/** The loop's stage, its tools, and its memory from round to round. */
import type { ChatMessage } from '../../model/chat.ts';
import type { Stage } from '../model-calls/stage.ts';
import type { Guard } from './guards/guard.ts';
import { RepetitionGuard } from './guards/repetition.ts';
import { StallGuard } from './guards/stall.ts';
import type { QuickChecks } from './quick-checks.ts';
import type { ToolRunner } from './tool-runner.ts';
import { TreeWatch } from './tree-watch.ts';

/** Corrections that are left for answers without a call; the stages of a task may share them. */
export interface Patience {
  /** For answers without words. */
  nudges: number;
  /** For answers that changed nothing. */
  reminders: number;
}

export const newPatience = (): Patience => ({ nudges: 2, reminders: 2 });

/** Its `sampling` is that of the first answer only. */
export interface LoopStage extends Stage {
  readonly tools: ToolRunner;
  /** The task's checks between rounds. */
  readonly checks: QuickChecks;
  readonly patience: Patience;
  /** Whether the stage is to change files; a stage that changes none may otherwise stall or lack a change. */
  readonly isToChange: boolean;
}

export interface LoopState {
  /** From 1. */
  round: number;
  malformedInRow: number;
  /** The last answer led nowhere, so the next one is drawn differently. */
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
