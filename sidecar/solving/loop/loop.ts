/** The ReAct loop: check the limits, ask, parse, act, until an answer or a limit ends the stage. */
import { parseToolCalls } from '../../parsing/answers/parse-answer.ts';
import type { ParsedAnswer } from '../../parsing/answers/parsed-answer.ts';
import type { ChatReply } from '../../model/chat.ts';
import {
  lastAnswersMessage,
  buildMalformedCorrection,
  buildContinuationRequest,
  buildSteerMessage,
} from '../prompt/loop-messages.ts';
import { ask, switchToStructured } from '../model-calls/ask.ts';
import { seedOf } from '../model-calls/seed.ts';
import { takeUserMessages, countTurnsLeft } from '../model-calls/stage.ts';
import type { Ending } from '../task/ending.ts';
import { isFinishingName } from '../../tools/aliases.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import { handleFinalAnswer } from './final-answer.ts';
import { createLoopState, addMessage, type LoopStage, type LoopState } from './loop-stage.ts';
import { runCalls } from './run-calls.ts';

/** Temperature of the answer that follows a useless one: high enough for another answer, low enough for valid calls. */
const STUCK_TEMPERATURE = 0.7;
/** Number of remaining answers at which the model is informed of the limit. */
const TURNS_LEFT_AT_NOTICE = 2;

/** Names of arguments in which models pass their final answer, most likely first. */
const TEXT_KEYS = ['answer', 'result', 'response', 'message', 'summary', 'text', 'content', 'output'];

/** Runs a stage until it ends; adds its usage to the totals of the run. Rejects only on bugs and storage errors. */
export async function runLoop(stage: LoopStage): Promise<Ending> {
  const state = createLoopState(stage);
  for (;;) {
    state.round += 1;
    for (const text of takeUserMessages(stage, state.round)) addMessage(stage, buildSteerMessage(text));
    if (countTurnsLeft(stage) === TURNS_LEFT_AT_NOTICE && stage.turns.maxTurns > TURNS_LEFT_AT_NOTICE)
      addMessage(stage, lastAnswersMessage);
    const outcome = await ask(chooseSampling(stage, state), state.round);
    state.isStuck = false;
    let ending = outcome.ok ? undefined : outcome.ending;
    if (outcome.ok) {
      const parsed = readAnswer(stage, state, outcome.reply);
      stage.run.totals.countAnswer(parsed);
      ending = await runToolCalls(stage, state, outcome.reply, parsed);
    }
    stage.run.observer?.recordRoundEnd();
    if (!ending) continue;
    announceEnding(stage, ending);
    await state.watch.waitForComparisons();
    return ending;
  }
}

/**
 * Returns the stage with the sampling of its next answer. The temperature is higher if the model is likely to repeat itself, as small
 * models do after a refusal or a repetition.
 */
function chooseSampling(stage: LoopStage, { round, isStuck }: LoopState): LoopStage {
  if (isStuck)
    return { ...stage, sampling: { temperature: STUCK_TEMPERATURE, seed: seedOf(stage.run, round) } };
  return round === 1 ? stage : { ...stage, sampling: undefined };
}

/** Parses an answer into calls, a final answer, a question, or nothing usable. Records its text in the totals. */
function readAnswer(
  { conversation, tools, run }: LoopStage,
  state: LoopState,
  reply: ChatReply,
): ParsedAnswer {
  const { mode, definitions } = conversation;
  const answer = parseToolCalls(reply.message, { tools: definitions, mode });
  const parsed = readFinishingCall(answer, tools.registry);
  const text = parsed.type === 'final_answer' || parsed.type === 'tool_calls' ? parsed.content : undefined;
  if (text) run.totals.lastText = text;
  if (reply.doneReason !== 'length' || !isCutOff(parsed, state.malformedInRow === 0)) return parsed;
  const reason = 'it was cut off at the length limit; make it shorter, and write long files in several steps';
  return { type: 'malformed', reason, content: reply.message.content };
}

/**
 * Returns whether an answer that reached the length limit is incomplete. A call that was parsed from text may have truncated arguments, so
 * that it might write half a file. Native calls are sent whole or not at all. A truncated final answer is requested once more in short
 * form; the second one counts as complete.
 */
function isCutOff(parsed: ParsedAnswer, isFirstTry: boolean): boolean {
  if (parsed.type === 'final_answer') return isFirstTry;
  if (parsed.type !== 'tool_calls') return parsed.type === 'malformed';
  return parsed.layer !== 'native' || parsed.calls.some((call) => call.repaired);
}

/**
 * Converts a call such as `final_answer` or `attempt_completion`, which other harnesses use to finish, to a final answer if it is the only
 * call. Beside other calls it remains a call, and its result explains how to finish.
 */
function readFinishingCall(parsed: ParsedAnswer, registry: ToolRegistry): ParsedAnswer {
  if (parsed.type !== 'tool_calls') return parsed;
  const [call, secondCall] = parsed.calls;
  if (!call || secondCall || !isFinishingName(call.name) || registry.get(call.name)) return parsed;
  const content = findText(call.arguments) ?? parsed.content ?? '';
  return content === '' ? parsed : { type: 'final_answer', content };
}

function findText(args: Record<string, unknown> | string): string | undefined {
  if (typeof args === 'string') return args.trim();
  const values = [...TEXT_KEYS.map((key) => args[key]), ...Object.values(args)];
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '')?.trim();
}

/** Acts on an answer. Returns the ending, or undefined for another round. */
async function runToolCalls(
  stage: LoopStage,
  state: LoopState,
  reply: ChatReply,
  parsed: ParsedAnswer,
): Promise<Ending | undefined> {
  const { conversation } = stage;
  if (parsed.type !== 'malformed') state.malformedInRow = 0;
  switch (parsed.type) {
    case 'final_answer':
      conversation.addAnswer(reply, parsed);
      return handleFinalAnswer(stage, state, parsed.content);
    case 'tool_calls':
      return runCalls(stage, state, reply, parsed);
    case 'approval': {
      conversation.addAnswer(reply, parsed);
      addMessage(stage, buildSteerMessage(await stage.tools.approvals.askQuestion(parsed.question)));
      return undefined;
    }
    case 'malformed':
      return requestCorrection(stage, state, reply, parsed);
    case 'empty':
      return requestContinuation(stage, state, reply, parsed);
    default:
      return parsed satisfies never;
  }
}

/**
 * Sends the error and the expected format to the model. After the second malformed answer in a row, native mode switches to structured
 * mode; in other modes the stage ends.
 */
function requestCorrection(
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
  const { mode, offersApproval } = conversation;
  addMessage(stage, buildMalformedCorrection({ mode, reason, content, offersApproval }));
  return undefined;
}

/** Sends a correction after an answer with neither a call nor text. Ends the stage if the limit of corrections is reached. */
function requestContinuation(
  stage: LoopStage,
  state: LoopState,
  reply: ChatReply,
  parsed: ParsedAnswer,
): Ending | undefined {
  const { conversation, corrections } = stage;
  if (corrections.continuationRequests === 0) {
    return {
      reason: 'nudge_exhausted',
      detail: 'the model wrote neither text nor a tool call, even after corrections',
    };
  }
  corrections.continuationRequests -= 1;
  state.isStuck = true;
  conversation.addAnswer(reply, parsed);
  addMessage(stage, buildContinuationRequest({ cutOff: reply.doneReason === 'length' }));
  return undefined;
}

/** Reports an ending without a final answer in the log and on the timeline. */
function announceEnding({ run, name }: LoopStage, ending: Ending): void {
  if (ending.reason === 'final_answer') return;
  const text = `Stopped: ${ending.detail ?? ending.reason}`;
  run.logger.warn({ termination_reason: ending.reason, stage: name }, text);
  run.emit({ event_type: 'status', text });
}
