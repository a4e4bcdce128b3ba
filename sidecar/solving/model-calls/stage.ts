/**
 * A stage: one conversation with one model. Its answers are in the journal under the name of the stage (`run`, `plan`, `step-2`). Every
 * call of a model belongs to a stage, so limits, ledger and journal apply everywhere.
 */
import type { ChatPurpose, Sampling } from '../../model/model-session.ts';
import type { ReadyModel } from './models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';
import { Conversation } from './conversation.ts';
import { recordOpening } from './first-message.ts';
import type { AnswerExtractor } from '../../model/chat.ts';

/** Limit of the model's answers in a stage. */
export interface TurnLimit {
  maxTurns: number;
  /** Number of answers of the task before the stage. */
  turnsBefore: number;
}

export interface Stage {
  readonly run: TaskRun;
  readonly model: ReadyModel;
  /** Purpose of the calls. It selects the options of the model, and whether its answers are streamed. */
  readonly purpose: ChatPurpose;
  readonly conversation: Conversation;
  /** Name of the stage. Together with the round it identifies a question of the task. */
  readonly name: string;
  /** Overrides the sampling of the purpose. Each round may have its own: `ask({ ...stage, sampling }, round)`. */
  readonly sampling?: Sampling;
  /** Aborts calls that the stage no longer needs. */
  readonly signal?: AbortSignal;
  /** Returns the answer once it is complete, so that the call ends early. */
  readonly extractAnswer?: AnswerExtractor;
  readonly turns: TurnLimit;
}

/** Limit of stages that end after a few answers anyway. */
const UNLIMITED_TURNS: TurnLimit = { maxTurns: Infinity, turnsBefore: 0 };

interface Question extends Pick<Stage, 'run' | 'model' | 'purpose' | 'name'> {
  /** The system prompt; default: none. */
  system?: string;
  /** JSON Schema of the answers. */
  format?: object;
}

/**
 * Opens a stage that asks one question without tools. Each round gets an answer of its own. The number of answers is not limited; all other
 * limits apply.
 */
export function openQuestion(
  { run, model, purpose, name, system, format }: Question,
  question: string,
): Stage {
  const conversation = Conversation.createPlain(question, { system, format });
  recordOpening(conversation.messages, run.observer);
  return { run, model, purpose, name, conversation, turns: UNLIMITED_TURNS };
}

/** Returns the name of a stage that is unique across attempts. */
export const stageNameInTask = ({ run, name }: Pick<Stage, 'run' | 'name'>): string =>
  run.attempt ? `attempt-${run.attempt.number}/${name}` : name;

/** Removes and returns the waiting messages of users for the question of a round. */
export const takeUserMessages = (stage: Pick<Stage, 'run' | 'name'>, round: number): string[] =>
  stage.run.control.steering.take(stageNameInTask(stage), round);

/** Returns whether a message of a user waits for the question of a round. */
export const hasWaitingMessage = (stage: Pick<Stage, 'run' | 'name'>, round: number): boolean =>
  stage.run.control.steering.hasTextFor(stageNameInTask(stage), round);

/** Returns the number of answers that the model may still give. */
export const countTurnsLeft = ({ run, turns }: Stage): number =>
  turns.maxTurns - (run.totals.iterations - turns.turnsBefore);

/** Returns whether the model may answer once more. */
export const hasTurnsLeft = (stage: Stage): boolean => countTurnsLeft(stage) > 0;
