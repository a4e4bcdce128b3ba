/**
 * The ReAct loop: check limits → ask the model → read the answer → run the tools → record.
 * A free function over a context; it ends in one place with one of a closed set of reasons, and it lives through
 * journaled rounds the same way as through new ones.
 */
import { parseToolCalls } from '../model/parsing/parse-tool-calls.ts';
import type { ParsedAnswer } from '../model/parsing/result.ts';
import { announcesNextStep } from '../model/parsing/announcement.ts';
import { isQuestion, standsForChange } from '../model/parsing/unmade-change.ts';
import type { ChatMessage, ChatReply } from '../model/chat.ts';
import {
  malformedCorrection,
  nudgeMessage,
  repetitionWarning,
  stallWarning,
  steerMessage,
  unchangedReminder,
} from '../prompt/loop-messages.ts';
import type { Checkpoint, RecordedAnswer } from './checkpoint.ts';
import type { Conversation } from './conversation.ts';
import { RepetitionGuard } from './guardrails/repetition.ts';
import { STALL_STOP_ROUNDS, STALL_WARN_ROUNDS, StallGuard } from './guardrails/stall.ts';
import { ChangeWatch } from './guardrails/change-watch.ts';
import { askModel, switchToStructured, type AskContext } from './ask.ts';
import { checkLimits } from './check-limits.ts';
import type { Ending } from './ending.ts';
import { readFinishingCall } from './finishing-call.ts';
import type { ToolRunner, AnswerCall } from './tool-runner.ts';

/** Nudges that a whole task may need before it is given up. */
const MAX_NUDGES = 2;

export interface LoopContext extends AskContext {
  conversation: Conversation;
  checkpoint: Checkpoint;
  tools: ToolRunner;
  /** Differs exactly when the workspace's content does; undefined where nothing is to change. */
  fingerprint?: () => Promise<string>;
  /** Nudges of the task that do not count here: each step has its own. */
  nudgesBefore?: number;
  /** Answers a question that the model asks a person. */
  answerQuestion: (question: string) => Promise<string>;
}

interface LoopState {
  round: number;
  malformedInRow: number;
  repetition: RepetitionGuard;
  stall: StallGuard;
  changes: ChangeWatch;
  /** Whether any round of this stage changed the workspace. */
  hasChanged: boolean;
  /** The model was told that no file has changed; once is enough. */
  reminded: boolean;
}

/** Runs a stage until it ends; the totals of the task are added up in `context.totals`. Rejects only for bugs and a failing disk. */
export async function runLoop(context: LoopContext): Promise<Ending> {
  const state: LoopState = {
    round: 0,
    malformedInRow: 0,
    repetition: new RepetitionGuard(),
    stall: new StallGuard(context.fingerprint !== undefined),
    changes: new ChangeWatch(context.fingerprint, context.checkpoint, (name) =>
      context.tools.hasEffects(name),
    ),
    hasChanged: false,
    reminded: false,
  };
  state.changes.begin();
  for (;;) {
    const ending = await runRound(context, state);
    context.observer?.roundEnded();
    if (ending) {
      announceEnding(context, ending);
      return ending;
    }
  }
}

async function runRound(context: LoopContext, state: LoopState): Promise<Ending | undefined> {
  state.round += 1;
  takeInputs(context, state);
  const limit = checkLimits(context, state.round);
  if (limit.ending) return limit.ending;
  const asked = await askModel(context, state.round, limit.reservation);
  if (!asked.ok) return asked.ending;
  const parsed = readAnswer(context, state, asked.answer.reply);
  return actOn(context, state, asked.answer, parsed);
}

/** Texts of a person that came in since the last round. */
function takeInputs(context: LoopContext, state: LoopState): void {
  const texts = context.checkpoint.steering(state.round, () => context.control.takeSteering());
  for (const text of texts) tell(context, state, steerMessage(text));
}

/** Says something to the model; who listens hears it once, also when the round is lived through again. */
function tell(
  { conversation, checkpoint, observer }: LoopContext,
  { round }: LoopState,
  message: ChatMessage,
): void {
  conversation.add(message);
  if (!checkpoint.hasAnswer(round)) observer?.said('USER', message.content);
}

function readAnswer(context: LoopContext, state: LoopState, reply: ChatReply): ParsedAnswer {
  const { conversation, totals } = context;
  const { mode, definitions } = conversation;
  const read = parseToolCalls(reply.message, { tools: definitions, mode });
  const parsed = readFinishingCall(read, context.tools.registry);
  const said = parsed.type === 'final_answer' || parsed.type === 'tool_calls' ? parsed.content : undefined;
  if (said) totals.lastText = said;
  if (reply.doneReason === 'length' && isCutOff(parsed, state)) {
    const reason =
      'it was cut off at the length limit; make it shorter, and write long files in several steps';
    return { type: 'malformed', reason, content: reply.message.content };
  }
  const announced = parsed.type === 'final_answer' && announcesNextStep(parsed.content);
  return announced ? { type: 'empty', content: '' } : parsed;
}

/**
 * Whether an answer that reached the length limit lacks something. A call that was read from text may hold half of its
 * arguments, and half a file must not be written; native calls are sent whole or not at all. A final answer is asked
 * for once more in short, then it counts as it is: the work is done.
 */
function isCutOff(parsed: ParsedAnswer, { malformedInRow }: LoopState): boolean {
  if (parsed.type === 'final_answer') return malformedInRow === 0;
  if (parsed.type !== 'tool_calls') return parsed.type === 'malformed';
  return parsed.layer !== 'native' || parsed.calls.some((call) => call.repaired);
}

async function actOn(
  context: LoopContext,
  state: LoopState,
  answer: RecordedAnswer,
  parsed: ParsedAnswer,
): Promise<Ending | undefined> {
  const { checkpoint, totals } = context;
  const { reply } = answer;
  const intent = parsed.type === 'tool_calls' ? context.tools.firstIntent(parsed.calls) : undefined;
  if (!checkpoint.hasAnswer(state.round)) await checkpoint.recordAnswer(state.round, answer, intent);
  totals.countAnswer(parsed);
  if (parsed.type !== 'malformed') state.malformedInRow = 0;
  switch (parsed.type) {
    case 'final_answer':
      context.conversation.addAnswer(reply, parsed);
      if (isUnheard(context, state)) return undefined;
      if (await isUnmade(context, state, parsed.content)) {
        tell(context, state, unchangedReminder());
        return undefined;
      }
      return { reason: 'final_answer', output: parsed.content };
    case 'tool_calls':
      return runCalls(context, state, reply, parsed);
    case 'approval':
      context.conversation.addAnswer(reply, parsed);
      tell(context, state, steerMessage(await context.answerQuestion(parsed.question)));
      return undefined;
    case 'malformed':
      return correct(context, state, reply, parsed);
    case 'empty':
      return nudge(context, state, reply, parsed);
    default:
      return parsed satisfies never;
  }
}

/**
 * Whether a person said something while the model wrote its final answer. It gets another round to act on that, where
 * its turns allow one: work that is done is no forced stop.
 */
function isUnheard({ control, checkpoint, totals, limits }: LoopContext, { round }: LoopState): boolean {
  // What followed such an answer in an earlier life, its checks too, must not be told something else now.
  if (checkpoint.hasAnswer(round)) return checkpoint.hasInputs(round + 1);
  return control.isSteered && control.stopReason === undefined && totals.iterations < limits.maxIterations;
}

/**
 * Whether an answer stands for a change that was not made: code in a fence, a question, a claim, where the task is to
 * change something and no file has changed. The model is told so once, where its turns allow another.
 */
async function isUnmade(context: LoopContext, state: LoopState, content: string): Promise<boolean> {
  const { task, totals, limits } = context;
  if (!state.stall.enabled || state.reminded || isQuestion(task.description)) return false;
  if (totals.iterations >= limits.maxIterations || !standsForChange(content)) return false;
  await state.changes.settled();
  state.reminded = !state.hasChanged;
  return state.reminded;
}

async function runCalls(
  context: LoopContext,
  state: LoopState,
  reply: ChatReply,
  parsed: Extract<ParsedAnswer, { type: 'tool_calls' }>,
): Promise<Ending | undefined> {
  const { calls } = parsed;
  const names = [...new Set(calls.map((call) => context.tools.registry.get(call.name)?.name ?? call.name))];
  // The outcome of the round before is known by now: its comparison ran while the model was thinking.
  await state.changes.settled();
  const repetition = state.repetition.observe(canonical(context, calls));
  if (repetition === 'stop') {
    return { reason: 'repetition', detail: `repeated tool calls detected (${names.join(', ')})` };
  }
  context.conversation.addAnswer(reply, parsed);
  const results = await context.tools.run(calls, {
    checkpoint: context.checkpoint,
    round: state.round,
    iteration: context.totals.iterations,
    signal: context.control.signal,
  });
  context.conversation.addResults(calls, results);
  if (repetition === 'warn') tell(context, state, repetitionWarning(names));
  return watchForStall(context, state, results);
}

function canonical(context: LoopContext, calls: readonly AnswerCall[]): AnswerCall[] {
  return calls.map((call) => ({ ...call, name: context.tools.registry.get(call.name)?.name ?? call.name }));
}

async function watchForStall(
  context: LoopContext,
  state: LoopState,
  results: Parameters<ChangeWatch['roundEnded']>[1],
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
  if (verdict === 'warn')
    tell(
      context,
      state,
      stallWarning({ rounds: STALL_WARN_ROUNDS, roundsLeft: STALL_STOP_ROUNDS - STALL_WARN_ROUNDS }),
    );
  return undefined;
}

/** Malformed: the error and the wanted format go back. In native mode the second in a row changes the mode instead. */
function correct(
  context: LoopContext,
  state: LoopState,
  reply: ChatReply,
  parsed: Extract<ParsedAnswer, { type: 'malformed' }>,
): Ending | undefined {
  const { conversation } = context;
  state.malformedInRow += 1;
  if (state.malformedInRow >= 2 && conversation.mode === 'native') {
    switchToStructured(context, `two malformed answers in a row (${parsed.reason})`);
    state.malformedInRow = 0;
  } else if (state.malformedInRow >= 2) {
    return { reason: 'malformed_output', detail: parsed.reason };
  }
  conversation.addAnswer(reply, parsed);
  const { reason, content } = parsed;
  const { mode, approval } = conversation;
  tell(context, state, malformedCorrection({ mode, reason, content, approval }));
  return undefined;
}

function nudge(
  context: LoopContext,
  state: LoopState,
  reply: ChatReply,
  parsed: ParsedAnswer,
): Ending | undefined {
  const { totals, conversation } = context;
  if (totals.nudges - (context.nudgesBefore ?? 0) >= MAX_NUDGES) {
    return { reason: 'nudge_exhausted', detail: `no tool call after ${MAX_NUDGES} reminders` };
  }
  totals.nudges += 1;
  conversation.addAnswer(reply, parsed);
  tell(context, state, nudgeMessage({ cutOff: reply.doneReason === 'length' }));
  return undefined;
}

/** A forced stop is said aloud, in the log and on the timeline. */
function announceEnding(context: LoopContext, ending: Ending): void {
  if (ending.reason === 'final_answer') return;
  const text = `Stopped: ${ending.detail ?? ending.reason}`;
  context.logger.warn({ termination_reason: ending.reason, stage: context.checkpoint.stage }, text);
  context.emit({ event_type: 'status', text });
}
