/** Runs the calls of an answer under the guards of the loop. */
import type { ChatReply } from '../../model/chat.ts';
import type { ParsedAnswer } from '../../parsing/answers/result.ts';
import { callsNotRun, tooManyCalls } from '../prompt/loop-messages.ts';
import type { ToolCallResult } from '../../tools/types.ts';
import type { Ending } from '../task/ending.ts';
import type { Verdict } from './guards/guard.ts';
import { addMessage, type LoopStage, type LoopState } from './loop-stage.ts';

/** Runs the calls. Returns an ending if a guard stops the stage. */
export async function runCalls(
  stage: LoopStage,
  state: LoopState,
  reply: ChatReply,
  parsed: Extract<ParsedAnswer, { type: 'tool_calls' }>,
): Promise<Ending | undefined> {
  const { tools, conversation } = stage;
  const { guards, watch } = state;
  const calls = parsed.calls.map((call) => ({ ...call, name: tools.nameOf(call.name) }));
  const before: Verdict[] = [];
  for (const guard of guards) before.push(await guard.beforeCalls(calls));
  const forbidden = before.find(isEnding);
  if (forbidden) return forbidden.ending;
  conversation.addAnswer(reply, parsed);
  const results = await tools.run(parsed.calls);
  const mayChange = results.some(({ toolName }) => tools.hasEffects(toolName));
  const changed = mayChange ? watch.compare() : Promise.resolve(false);
  const shown = results.filter(({ toolName }) => tools.reads(toolName));
  const judging = guards.flatMap((guard) => guard.afterCalls?.(shown) ?? []);
  const shownResults = await withChecks(stage, results, changed);
  const notRun = parsed.unread ?? (parsed.hasMore && tooManyCalls);
  conversation.addResults(
    parsed.calls,
    notRun ? withLast(shownResults, callsNotRun(calls.length, notRun)) : shownResults,
  );
  const verdicts = [...before, ...(await Promise.all(judging))];
  for (const verdict of verdicts) {
    if (!verdict || isEnding(verdict)) continue;
    state.isStuck ||= verdict.isStuck === true;
    addMessage(stage, verdict.warning);
  }
  return verdicts.find(isEnding)?.ending;
}

const isEnding = (verdict: Verdict): verdict is { ending: Ending } =>
  verdict !== undefined && 'ending' in verdict;

/** Adds the report of the checks to the results of a round that changed something, if the checks are quick. */
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

/** Adds `note` to the last result. */
function withLast(results: readonly ToolCallResult[], note: string): readonly ToolCallResult[] {
  return results.map((result, index) =>
    index === results.length - 1 ? { ...result, output: `${result.output}\n\n${note}` } : result,
  );
}
