/** What each kind of answer sets off. The answer is in the journal before anything follows from it. */
import type { ParsedAnswer } from '../../model/parsing/result.ts';
import { isQuestion, standsForChange } from '../../model/parsing/unmade-change.ts';
import { steerMessage, unchangedReminder } from '../../prompt/loop-messages.ts';
import { hasTurnsLeft } from '../asking/stage.ts';
import type { RecordedAnswer } from '../journal/checkpoint.ts';
import type { Ending } from '../task/ending.ts';
import { correctMalformed, nudge } from './corrections.ts';
import { tell, type LoopStage, type LoopState } from './loop-stage.ts';
import { runCalls } from './run-calls.ts';

/** The ending that the answer brings, or undefined for another round. */
export async function actOn(
  stage: LoopStage,
  state: LoopState,
  answer: RecordedAnswer,
  parsed: ParsedAnswer,
): Promise<Ending | undefined> {
  const { checkpoint, conversation } = stage;
  const { reply } = answer;
  const intent = parsed.type === 'tool_calls' ? stage.tools.firstIntent(parsed.calls) : undefined;
  if (!checkpoint.hasAnswer(state.round)) await checkpoint.recordAnswer(state.round, answer, intent);
  stage.run.totals.countAnswer(parsed);
  if (parsed.type !== 'malformed') state.malformedInRow = 0;
  switch (parsed.type) {
    case 'final_answer':
      conversation.addAnswer(reply, parsed);
      return finish(stage, state, parsed.content);
    case 'tool_calls':
      return runCalls(stage, state, reply, parsed);
    case 'approval':
      conversation.addAnswer(reply, parsed);
      tell(stage, state, steerMessage(await stage.answerQuestion(parsed.question)));
      return undefined;
    case 'malformed':
      return correctMalformed(stage, state, reply, parsed);
    case 'empty':
      return nudge(stage, state, reply, parsed);
    default:
      return parsed satisfies never;
  }
}

/** A final answer ends the stage, unless a person spoke meanwhile or the change that it claims was not made. */
async function finish(stage: LoopStage, state: LoopState, content: string): Promise<Ending | undefined> {
  if (isUnheard(stage, state)) return undefined;
  if (await isUnmade(stage, state, content)) {
    tell(stage, state, unchangedReminder());
    return undefined;
  }
  return { reason: 'final_answer', output: content };
}

/**
 * Whether a person said something while the model wrote its final answer. It gets another round to act on that, where
 * its turns allow one: work that is done is no forced stop.
 */
function isUnheard(stage: LoopStage, { round }: LoopState): boolean {
  const { checkpoint } = stage;
  const { control } = stage.run;
  // What followed such an answer in an earlier life, its checks too, must not be told something else now.
  if (checkpoint.hasAnswer(round)) return checkpoint.hasInputs(round + 1);
  return control.isSteered && control.stopReason === undefined && hasTurnsLeft(stage);
}

/**
 * Whether an answer stands for a change that was not made: code in a fence, a question, a claim, where the task is to
 * change something and no file has changed. The model is told so once, where its turns allow another.
 */
async function isUnmade(stage: LoopStage, state: LoopState, content: string): Promise<boolean> {
  if (!state.stall.enabled || state.reminded || isQuestion(stage.run.task.description)) return false;
  if (!hasTurnsLeft(stage) || !standsForChange(content)) return false;
  await state.changes.settled();
  state.reminded = !state.hasChanged;
  return state.reminded;
}
