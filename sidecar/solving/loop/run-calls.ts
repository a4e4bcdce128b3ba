/** Runs the calls of an answer. The guards of the loop evaluate them before and after. */
import type { ChatReply } from '../../model/chat.ts';
import type { ParsedAnswer } from '../../parsing/answers/parsed-answer.ts';
import { formatCallsNotRun, TOO_MANY_CALLS_REASON } from '../prompt/loop-messages.ts';
import type { ToolCallResult } from '../../tools/types.ts';
import type { Ending } from '../task/ending.ts';
import type { GuardVerdict } from './guards/guard.ts';
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
  const calls = parsed.calls.map((call) => ({ ...call, name: tools.resolveToolName(call.name) }));
  // The calls may change the tree, which the comparison after the previous round may still read.
  await watch.waitForComparisons();
  const verdictsBefore: GuardVerdict[] = [];
  for (const guard of guards) verdictsBefore.push(await guard.checkCalls(calls));
  const stopVerdict = verdictsBefore.find(isEnding);
  if (stopVerdict) return stopVerdict.ending;
  conversation.addAnswer(reply, parsed);
  const results = await tools.run(parsed.calls);
  const mayChange = results.some(({ toolName }) => tools.hasEffects(toolName));
  const changeFound = mayChange ? watch.compare() : Promise.resolve(false);
  const readResults = results.filter(({ toolName }) => tools.mayRead(toolName));
  const pendingVerdicts = guards.flatMap((guard) => guard.checkResults?.(readResults) ?? []);
  const resultsWithChecks = await addChecks(stage, results, changeFound);
  const reasonNotRun = parsed.unread ?? (parsed.hasMore && TOO_MANY_CALLS_REASON);
  conversation.addResults(
    parsed.calls,
    reasonNotRun
      ? appendToLast(resultsWithChecks, formatCallsNotRun(calls.length, reasonNotRun))
      : resultsWithChecks,
  );
  const verdicts = [...verdictsBefore, ...(await Promise.all(pendingVerdicts))];
  for (const verdict of verdicts) {
    if (!verdict || isEnding(verdict)) continue;
    state.isStuck ||= verdict.isStuck === true;
    addMessage(stage, verdict.warning);
  }
  return verdicts.find(isEnding)?.ending;
}

const isEnding = (verdict: GuardVerdict): verdict is { ending: Ending } =>
  verdict !== undefined && 'ending' in verdict;

/** Adds the report of the checks to the results of a round that changed something, if the checks are quick. */
async function addChecks(
  stage: LoopStage,
  results: readonly ToolCallResult[],
  changeFound: Promise<boolean>,
): Promise<readonly ToolCallResult[]> {
  const { checks } = stage;
  const last = results.at(-1);
  if (!last || !(await checks.areQuick()) || !(await changeFound)) return results;
  const checkedReport = await checks.runAfterChange();
  if (!checkedReport) return results;
  return appendToLast(results, checkedReport.note);
}

/** Adds `note` to the last result. */
function appendToLast(results: readonly ToolCallResult[], note: string): readonly ToolCallResult[] {
  return results.map((result, index) =>
    index === results.length - 1 ? { ...result, output: `${result.output}\n\n${note}` } : result,
  );
}
