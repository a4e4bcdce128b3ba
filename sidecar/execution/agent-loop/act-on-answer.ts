/** What each kind of answer sets off. The answer is in the journal before anything follows from it. */
import type { ParsedAnswer } from '../../answers/result.ts';
import { steerMessage } from '../../prompt/loop-messages.ts';
import type { RecordedAnswer } from '../journal/checkpoint.ts';
import type { Ending } from '../task/ending.ts';
import { correctMalformed, nudge } from './corrections.ts';
import { finish } from './final-answer.ts';
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
    case 'approval': {
      conversation.addAnswer(reply, parsed);
      const kept = `${checkpoint.stage}-question-${state.round}`;
      tell(stage, state, steerMessage(await stage.approvals.question(parsed.question, kept)));
      return undefined;
    }
    case 'malformed':
      return correctMalformed(stage, state, reply, parsed);
    case 'empty':
      return nudge(stage, state, reply, parsed);
    default:
      return parsed satisfies never;
  }
}
