/** What an answer of the model is: calls, a final answer, a question, or nothing that can be used. */
import type { ChatReply } from '../../model/chat.ts';
import { parseToolCalls } from '../../answers/parse-answer.ts';
import type { ParsedAnswer } from '../../answers/result.ts';
import { readFinishingCall } from './finishing-call.ts';
import type { LoopStage } from './loop-stage.ts';

/** Reads an answer and keeps its last words in the totals. `isFirstTry`: the answer before was not malformed. */
export function readAnswer(
  { conversation, tools, run }: LoopStage,
  reply: ChatReply,
  { isFirstTry }: { isFirstTry: boolean },
): ParsedAnswer {
  const { mode, definitions } = conversation;
  const read = parseToolCalls(reply.message, { tools: definitions, mode });
  const parsed = readFinishingCall(read, tools.registry);
  const said = parsed.type === 'final_answer' || parsed.type === 'tool_calls' ? parsed.content : undefined;
  if (said) run.totals.lastText = said;
  if (reply.doneReason === 'length' && isCutOff(parsed, isFirstTry)) {
    const reason =
      'it was cut off at the length limit; make it shorter, and write long files in several steps';
    return { type: 'malformed', reason, content: reply.message.content };
  }
  return parsed;
}

/**
 * Whether an answer that reached the length limit lacks something. A call that was read from text may hold half of its
 * arguments, and half a file must not be written; native calls are sent whole or not at all. A final answer is asked
 * for once more in short, then it counts as it is: the work is done.
 */
function isCutOff(parsed: ParsedAnswer, isFirstTry: boolean): boolean {
  if (parsed.type === 'final_answer') return isFirstTry;
  if (parsed.type !== 'tool_calls') return parsed.type === 'malformed';
  return parsed.layer !== 'native' || parsed.calls.some((call) => call.repaired);
}
