/**
 * A stage: one conversation with one model, whose answers the journal has under the stage's name (`run`, `plan`,
 * `step-2`). All calls of a model are made for a stage, so limits, ledger and journal hold everywhere alike.
 */
import type { EndOfAnswer } from '../../base/ports.ts';
import type { ChatPurpose, Sampling } from '../../model/model-session.ts';
import type { ReadyModel } from './models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';
import { Conversation } from './conversation.ts';
import { recordOpening } from './first-message.ts';

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
  /** Tells the questions of the task apart, together with their rounds. */
  readonly name: string;
  /** In place of what the purpose would set. Another round may have another: `ask({ ...stage, sampling }, round)`. */
  readonly sampling?: Sampling;
  /** Ends a call of this stage that is no longer needed. */
  readonly signal?: AbortSignal;
  /** Ends an answer by what it holds. */
  readonly endOf?: EndOfAnswer;
  readonly turns: TurnLimit;
}

/** For stages that end by themselves after a few answers. */
const UNLIMITED_TURNS: TurnLimit = { allowed: Infinity, usedBefore: 0 };

interface Question extends Pick<Stage, 'run' | 'model' | 'purpose' | 'name'> {
  /** The system prompt; default: none. */
  system?: string;
  /** JSON Schema that the answers have to follow. */
  format?: object;
}

/** Opens a stage that asks one question without tools, as often as it has rounds: its turns are not limited, everything else is. */
export function openQuestion(
  { run, model, purpose, name, system, format }: Question,
  question: string,
): Stage {
  const conversation = Conversation.plain(question, { system, format });
  recordOpening(conversation.messages, run.observer);
  return { run, model, purpose, name, conversation, turns: UNLIMITED_TURNS };
}

/** Returns the name of a stage among those of all attempts. */
export const nameInTask = ({ run, name }: Pick<Stage, 'run' | 'name'>): string =>
  run.attempt ? `attempt-${run.attempt.number}/${name}` : name;

/** Takes the texts of users that go into the question of a round. */
export const takeSteering = (stage: Pick<Stage, 'run' | 'name'>, round: number): string[] =>
  stage.run.control.steering.take(stage.run.journal, nameInTask(stage), round);

/** Whether a user said something that the question of a round would take. */
export const hasUnheard = (stage: Pick<Stage, 'run' | 'name'>, round: number): boolean =>
  stage.run.control.steering.isFor(stage.run.journal, nameInTask(stage), round);

/** Returns how often the model may still answer. */
export const turnsLeft = ({ run, turns }: Stage): number =>
  turns.allowed - (run.totals.iterations - turns.usedBefore);

/** Whether the model may answer once more. */
export const hasTurnsLeft = (stage: Stage): boolean => turnsLeft(stage) > 0;
