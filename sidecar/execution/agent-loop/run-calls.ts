/** Runs the calls of an answer, watched by the guardrails: the same round again and again, and rounds that change nothing. */
import type { ChatReply } from '../../model/chat.ts';
import type { ParsedAnswer } from '../../model/parsing/result.ts';
import { repetitionWarning, stallWarning } from '../../prompt/loop-messages.ts';
import type { ToolCallResult } from '../../tools/types.ts';
import type { Ending } from '../task/ending.ts';
import { STALL_STOP_ROUNDS, STALL_WARN_ROUNDS } from './guardrails/stall.ts';
import { tell, type LoopStage, type LoopState } from './loop-stage.ts';

/** An ending where a guardrail stops the stage. */
export async function runCalls(
  stage: LoopStage,
  state: LoopState,
  reply: ChatReply,
  parsed: Extract<ParsedAnswer, { type: 'tool_calls' }>,
): Promise<Ending | undefined> {
  const { tools, conversation, run } = stage;
  const calls = parsed.calls.map((call) => ({ ...call, name: tools.nameOf(call.name) }));
  const names = [...new Set(calls.map(({ name }) => name))];
  // The outcome of the round before is known by now: its comparison ran while the model was thinking.
  await state.changes.settled();
  const repetition = state.repetition.observe(calls);
  if (repetition === 'stop') {
    return { reason: 'repetition', detail: `repeated tool calls detected (${names.join(', ')})` };
  }
  conversation.addAnswer(reply, parsed);
  const results = await tools.run(parsed.calls, {
    checkpoint: stage.checkpoint,
    round: state.round,
    iteration: run.totals.iterations,
    signal: run.control.signal,
  });
  conversation.addResults(parsed.calls, results);
  if (repetition === 'warn') tell(stage, state, repetitionWarning(names));
  return watchForStall(stage, state, results);
}

async function watchForStall(
  stage: LoopStage,
  state: LoopState,
  results: readonly ToolCallResult[],
): Promise<Ending | undefined> {
  if (!state.stall.enabled) return undefined;
  state.changes.roundEnded(state.round, results, (changed) => {
    state.hasChanged ||= changed;
    return state.stall.observe(changed);
  });
  if (!state.stall.nextMatters) return undefined;
  const verdict = await state.changes.settled();
  if (verdict === 'stop')
    return { reason: 'stall', detail: `the workspace did not change for ${STALL_STOP_ROUNDS} rounds` };
  if (verdict === 'warn') {
    const roundsLeft = STALL_STOP_ROUNDS - STALL_WARN_ROUNDS;
    tell(stage, state, stallWarning({ rounds: STALL_WARN_ROUNDS, roundsLeft }));
  }
  return undefined;
}
