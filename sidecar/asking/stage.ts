/**
 * A stage: one conversation with one model, remembered in the journal under the stage's name (`run`, `plan`,
 * `step-2`). All calls of a model are made for a stage, so limits, ledger and journal hold everywhere alike.
 */
import type { EndOfAnswer } from '../ports.ts';
import type { ChatPurpose, Sampling } from '../model/model-session.ts';
import { Checkpoint } from '../task/checkpoint.ts';
import type { ReadyModel } from './models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';
import { Conversation } from './conversation.ts';
import { recordOpening, keptMessage } from './first-message.ts';

/** How many answers of the model a stage may have. */
export interface TurnLimit {
  allowed: number;
  /** Answers that the task had before the stage began. */
  usedBefore: number;
}

export interface Stage {
  readonly run: TaskRun;
  readonly model: ReadyModel;
  /** Chooses the model's options and whether its answers are streamed. */
  readonly purpose: ChatPurpose;
  readonly conversation: Conversation;
  /** The stage's part of the journal. */
  readonly checkpoint: Checkpoint;
  /** In place of what the purpose would set. Another round may have another: `ask({ ...stage, sampling }, round)`. */
  readonly sampling?: Sampling;
  /** Ends a call of this stage that nobody needs any more. */
  readonly signal?: AbortSignal;
  /** Ends an answer by what it holds. */
  readonly endOf?: EndOfAnswer;
  readonly turns: TurnLimit;
}

/** For stages that end by themselves after a few answers. */
const UNLIMITED_TURNS: TurnLimit = { allowed: Infinity, usedBefore: 0 };

interface Question extends Pick<Stage, 'run' | 'model' | 'purpose'> {
  /** The stage's name in the journal. */
  name: string;
  /** The system prompt; default: none. */
  system?: string;
  /** JSON Schema that the answers have to follow. */
  format?: object;
}

/**
 * A stage that asks one question without tools, as often as it has rounds: its turns are not limited, everything else is.
 * The question is made once: a resumed task has it in its journal.
 */
export async function openQuestion(
  { run, model, purpose, name, system, format }: Question,
  question: () => Promise<string> | string,
): Promise<Stage> {
  const checkpoint = new Checkpoint(run.journal, name);
  const { text, isNew } = await keptMessage(checkpoint, question);
  const conversation = Conversation.plain(text, { system, format });
  if (isNew) recordOpening(conversation.messages, run.observer);
  return { run, model, purpose, conversation, checkpoint, turns: UNLIMITED_TURNS };
}

/** Returns how often the model may still answer. */
export const turnsLeft = ({ run, turns }: Stage): number =>
  turns.allowed - (run.totals.iterations - turns.usedBefore);

/** Whether the model may answer once more. */
export const hasTurnsLeft = (stage: Stage): boolean => turnsLeft(stage) > 0;
