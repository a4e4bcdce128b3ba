/** The loop's stage, its tools, and its memory from round to round. */
import type { ChatMessage } from '../model/chat.ts';
import type { Sampling } from '../model/model-session.ts';
import type { Stage } from '../asking/stage.ts';
import type { Approvals } from './approvals.ts';
import { Progress } from './guards/progress.ts';
import { RepetitionGuard } from './guards/repetition.ts';
import type { KnownFiles } from './known-files.ts';
import type { QuickChecks } from './quick-checks.ts';
import type { ToolRunner } from './tool-runner.ts';

export interface LoopStage extends Stage {
  readonly tools: ToolRunner;
  /** Sampling of the first answer, in place of `sampling`. */
  readonly firstSampling?: Sampling;
  /** Differs exactly when the workspace's content does; undefined where nothing is to change. */
  readonly fingerprint?: () => Promise<string>;
  /** Nudges of the task that do not count here: each step of a plan has its own. */
  readonly nudgesBefore: number;
  /** The files as the model knows them. */
  readonly files: KnownFiles;
  /** The task's checks between rounds. */
  readonly checks: QuickChecks;
  /** Checks failed just before the stage; else what they said at first counts. */
  readonly isCorrective?: boolean;
  /** How many reminders are left that an answer changed nothing; stages may share it. */
  readonly reminders: { left: number };
  /** Asks a person what the model asks. */
  readonly approvals: Approvals;
}

export interface LoopState {
  /** From 1. */
  round: number;
  malformedInRow: number;
  /** The last answer led nowhere: the next one is to be another. */
  isStuck: boolean;
  readonly repetition: RepetitionGuard;
  readonly progress: Progress;
}

export const newLoopState = ({ fingerprint }: LoopStage): LoopState => ({
  round: 0,
  malformedInRow: 0,
  isStuck: false,
  repetition: new RepetitionGuard(),
  progress: new Progress(fingerprint),
});

/** Adds a message for the model. */
export function addMessage({ conversation, run }: LoopStage, message: ChatMessage): void {
  conversation.add(message);
  run.observer?.said('USER', message.content);
}

/** Whether a check is known to fail when the stage begins; undefined where nobody knows. */
export const isFailing = async ({ isCorrective, checks }: LoopStage): Promise<boolean | undefined> =>
  isCorrective === true || (await checks.failAtStart());
