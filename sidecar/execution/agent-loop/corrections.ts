/** What the model is told when its answer is of no use: what was wrong with it, or that it is to go on. */
import type { ChatReply } from '../../model/chat.ts';
import type { ParsedAnswer } from '../../answers/result.ts';
import { malformedCorrection, nudgeMessage } from '../../prompt/loop-messages.ts';
import { switchToStructured } from '../asking/ask.ts';
import type { Ending } from '../task/ending.ts';
import { tell, type LoopStage, type LoopState } from './loop-stage.ts';

/** Nudges that a whole task may need before it is given up. */
const MAX_NUDGES = 2;

/** The error and the wanted format go back to the model. In native mode the second in a row changes the mode instead. */
export function correctMalformed(
  stage: LoopStage,
  state: LoopState,
  reply: ChatReply,
  parsed: Extract<ParsedAnswer, { type: 'malformed' }>,
): Ending | undefined {
  const { conversation } = stage;
  state.malformedInRow += 1;
  if (state.malformedInRow >= 2 && conversation.mode === 'native') {
    switchToStructured(stage, `two malformed answers in a row (${parsed.reason})`);
    state.malformedInRow = 0;
  } else if (state.malformedInRow >= 2) {
    return { reason: 'malformed_output', detail: parsed.reason };
  }
  state.isStuck = true;
  conversation.addAnswer(reply, parsed);
  const { reason, content } = parsed;
  const { mode, approval } = conversation;
  tell(stage, state, malformedCorrection({ mode, reason, content, approval }));
  return undefined;
}

/** An answer without a call and without words: the model is reminded, a few times. */
export function nudge(
  stage: LoopStage,
  state: LoopState,
  reply: ChatReply,
  parsed: ParsedAnswer,
): Ending | undefined {
  const { conversation, run } = stage;
  const { totals } = run;
  if (totals.nudges - (stage.nudgesBefore ?? 0) >= MAX_NUDGES) {
    return { reason: 'nudge_exhausted', detail: `no tool call after ${MAX_NUDGES} reminders` };
  }
  totals.nudges += 1;
  state.isStuck = true;
  conversation.addAnswer(reply, parsed);
  tell(stage, state, nudgeMessage({ cutOff: reply.doneReason === 'length' }));
  return undefined;
}
