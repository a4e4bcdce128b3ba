/** What the loop works with: its stage, the tools, and what it remembers from round to round. */
import type { ChatMessage } from '../../model/chat.ts';
import type { Stage } from '../asking/stage.ts';
import { ChangeWatch } from './guardrails/change-watch.ts';
import { RepetitionGuard } from './guardrails/repetition.ts';
import { StallGuard } from './guardrails/stall.ts';
import type { ToolRunner } from './tool-runner.ts';

export interface LoopStage extends Stage {
  readonly tools: ToolRunner;
  /** Differs exactly when the workspace's content does; undefined where nothing is to change. */
  readonly fingerprint?: () => Promise<string>;
  /** Nudges of the task that do not count here: each step of a plan has its own. */
  readonly nudgesBefore?: number;
  /** Answers a question that the model asks a person. */
  readonly answerQuestion: (question: string) => Promise<string>;
}

export interface LoopState {
  /** From 1. */
  round: number;
  malformedInRow: number;
  readonly repetition: RepetitionGuard;
  readonly stall: StallGuard;
  readonly changes: ChangeWatch;
  /** Whether any round of this stage changed the workspace. */
  hasChanged: boolean;
  /** The model was told that no file has changed; once is enough. */
  reminded: boolean;
}

export function newLoopState({ fingerprint, checkpoint, tools }: LoopStage): LoopState {
  return {
    round: 0,
    malformedInRow: 0,
    repetition: new RepetitionGuard(),
    stall: new StallGuard(fingerprint !== undefined),
    changes: new ChangeWatch(fingerprint, checkpoint, (name) => tools.hasEffects(name)),
    hasChanged: false,
    reminded: false,
  };
}

/** Says something to the model; the observer hears it once, also when the round is lived through again. */
export function tell(stage: LoopStage, { round }: LoopState, message: ChatMessage): void {
  stage.conversation.add(message);
  if (!stage.checkpoint.hasAnswer(round)) stage.run.observer?.said('USER', message.content);
}
