/** Runs the calls of an answer, watched by the guards: the same round again and again, and rounds that lead nowhere. */
import type { ChatReply } from '../model/chat.ts';
import type { ParsedAnswer } from '../answers/result.ts';
import { callsNotRun, repetitionWarning, stallWarning, tooManyCalls } from '../prompt/loop-messages.ts';
import type { ToolCallResult } from '../tools/types.ts';
import type { Ending } from '../task/ending.ts';
import { STALL_STOP_ROUNDS, STALL_WARN_ROUNDS } from './guards/progress.ts';
import { addMessage, type LoopStage, type LoopState } from './loop-stage.ts';

/** An ending where a guard stops the stage. */
export async function runCalls(
  stage: LoopStage,
  state: LoopState,
  reply: ChatReply,
  parsed: Extract<ParsedAnswer, { type: 'tool_calls' }>,
): Promise<Ending | undefined> {
  const { tools, conversation } = stage;
  const calls = parsed.calls.map((call) => ({ ...call, name: tools.nameOf(call.name) }));
  const names = [...new Set(calls.map(({ name }) => name))];
  // The outcome of the round before is known by now: its comparison ran while the model was thinking.
  await state.progress.settled();
  const repetition = state.repetition.observe(calls);
  if (repetition === 'stop') {
    return { reason: 'repetition', detail: `repeated tool calls detected (${names.join(', ')})` };
  }
  conversation.addAnswer(reply, parsed);
  const results = await tools.run(parsed.calls);
  // A round without progress may be one too many: then its outcome is worth waiting for.
  const decides = state.progress.nextMatters;
  const mayChange = results.some(({ toolName }) => tools.hasEffects(toolName));
  const shown = results.filter(({ toolName }) => tools.reads(toolName));
  const changed = state.progress.judge(mayChange, shown);
  const shownResults = await withChecks(stage, results, changed);
  const notRun = parsed.unread ?? (parsed.hasMore && tooManyCalls);
  conversation.addResults(
    parsed.calls,
    notRun ? withLast(shownResults, callsNotRun(calls.length, notRun)) : shownResults,
  );
  if (repetition === 'warn') {
    state.isStuck = true;
    addMessage(stage, repetitionWarning(names));
  }
  return decides ? watchForStall(stage, state) : undefined;
}

/** With what the checks say of a round that changed something, where they are quick. */
async function withChecks(
  stage: LoopStage,
  results: readonly ToolCallResult[],
  changed: Promise<boolean>,
): Promise<readonly ToolCallResult[]> {
  const { checks } = stage;
  const last = results.at(-1);
  if (!last || !(await checks.areQuick()) || !(await changed)) return results;
  const checked = await checks.afterChange();
  if (!checked) return results;
  return withLast(results, checked.note);
}

/** The results with `note` under the newest of them. */
function withLast(results: readonly ToolCallResult[], note: string): readonly ToolCallResult[] {
  return results.map((result, index) =>
    index === results.length - 1 ? { ...result, output: `${result.output}\n\n${note}` } : result,
  );
}

async function watchForStall(stage: LoopStage, state: LoopState): Promise<Ending | undefined> {
  const verdict = await state.progress.settled();
  if (verdict === 'stop')
    return {
      reason: 'stall',
      detail: `no file changed and nothing new was read for ${STALL_STOP_ROUNDS} rounds`,
    };
  if (verdict === 'warn') {
    const roundsLeft = STALL_STOP_ROUNDS - STALL_WARN_ROUNDS;
    addMessage(stage, stallWarning({ rounds: STALL_WARN_ROUNDS, roundsLeft }));
  }
  return undefined;
}
