/**
 * Builds the program's own messages in a conversation: results, corrections, warnings, the plan. They begin with fixed texts, so that they
 * can be recognized later (`isProgramMessage`) and never count as messages of the user. Pure.
 */
import type { ChatMessage, ChatToolCall } from '../../model/chat.ts';
import { buildStructuredCorrection } from '../../model/structured.ts';
import type { ToolMode } from './system-prompt.ts';

/** Text of the message after an empty answer. */
const CONTINUATION_TEXT =
  'Please use the available tools to complete the task. Do not just describe what to do -- actually call the tools.';
/** Result of a call that was running when the worker was killed. */
export const INTERRUPTED_TEXT = 'Error: interrupted, outcome unknown, inspect before you go on.';

export const RESULTS_PREFIX = 'Tool results:';
export const PLAN_PREFIX = 'Plan document:';
export const EARLIER_PREFIX = 'Earlier work, shortened:';
const STEER_PREFIX = 'Message from the operator:';
const CORRECTION_PREFIX = 'Your answer could not be used:';
const REPETITION_PREFIX = 'You made the same call';
const STALL_PREFIX = 'No file has changed';
const LAST_ANSWERS_PREFIX = 'Two answers are left';
const CODE_PREFIX = 'The code of your answer was';
/** Prefix of a corrective message; the rest comes from verification (`buildCorrection`). */
export const CHECKED_PREFIX = 'The work was checked:';

const toUserMessage = (content: string): ChatMessage => ({ role: 'user', content });

/** Builds the message after an empty answer. `cutOff`: the answer reached the length limit before any text. */
export function buildContinuationRequest({ cutOff = false } = {}): ChatMessage {
  return toUserMessage(
    cutOff
      ? `${CONTINUATION_TEXT}\nYour last answer reached the length limit before it said anything: think briefly, then call a tool.`
      : CONTINUATION_TEXT,
  );
}

/** Builds the message that passes a text of the operator on to the model (`steer`). */
export const buildSteerMessage = (text: string): ChatMessage => toUserMessage(`${STEER_PREFIX}\n${text}`);

/** Message when the model has two answers left. */
export const lastAnswersMessage: ChatMessage = toUserMessage(
  `${LAST_ANSWERS_PREFIX}: make all reads and edits that are still needed in the next one (it may hold several calls), then finish.`,
);

/** Builds the message with the current plan. A changed plan is appended as a new message. */
export const buildPlanMessage = (planText: string): ChatMessage =>
  toUserMessage(`${PLAN_PREFIX}\n\n${planText}`);

/** The parts of a malformed answer that its correction mentions. */
export interface MalformedAnswer {
  /** Reason that `parseToolCalls` returned. */
  reason: string;
  mode: ToolMode;
  /** The answer. In structured and text mode, its beginning is shown. */
  content?: string;
  /** Whether a question to the user is a valid answer. */
  offersApproval?: boolean;
}

/** Builds the correction of a malformed answer: the error and the required format. */
export function buildMalformedCorrection({
  reason,
  mode,
  content,
  offersApproval,
}: MalformedAnswer): ChatMessage {
  if (mode !== 'native')
    return toUserMessage(buildStructuredCorrection(reason, { content, approval: offersApproval }));
  return toUserMessage(
    `${CORRECTION_PREFIX} ${reason}\nCall a tool through the tool-calling interface, with its arguments as one JSON ` +
      'object, or answer in plain text when the task is done.',
  );
}

/** Builds the warning for the second identical round in a row. */
export function buildRepetitionWarning(toolNames: readonly string[]): ChatMessage {
  const names = [...new Set(toolNames)].join(', ');
  return toUserMessage(
    `${REPETITION_PREFIX} (${names}) with the same arguments again. The result will be the same. ` +
      'Do something different: use the result that you have, try another tool or other arguments, or finish with an answer. ' +
      'Once more and the task is stopped.',
  );
}

/** Formats the note below the last result when later calls of the answer did not run. */
export const formatCallsNotRun = (count: number, reason: string): string =>
  `Only the first ${count === 1 ? 'call' : `${count} calls`} of your answer ran, nothing behind ${count === 1 ? 'it' : 'them'} did: ${reason}.`;

export const TOO_MANY_CALLS_REASON = 'there were too many calls. Make fewer calls at once';

/** Builds the warning after rounds without changes or new information. `roundsLeft`: rounds until the task is stopped. */
export function buildStallWarning({
  rounds,
  roundsLeft,
}: {
  rounds: number;
  roundsLeft: number;
}): ChatMessage {
  return toUserMessage(
    `${STALL_PREFIX} in ${rounds} rounds, and nothing was read that you had not seen. Expected now: the change that the task ` +
      'asks for, made with what you know; a file that you have not read yet, if you need one; or an answer, if the work is done ' +
      `or cannot be done. After ${roundsLeft} more such rounds the task is stopped.`,
  );
}

/** An answer without a tool call, although a file must change. */
export interface MissingChange {
  /** Reasons why the code of the answer could not be applied to a file. */
  reasons: readonly string[];
  /** The current text of a file. */
  view?: string;
  /** Whether a check fails, so that a change is needed. */
  isFailing: boolean;
  /** Whether the long form, with the file's text, was sent before. If so, the short form is sent. */
  isRepeated: boolean;
}

/** Builds the reminder after an answer with neither a tool call nor a change: the expected form, and the file. */
export function buildUnchangedReminder({ reasons, view, isFailing, isRepeated }: MissingChange): ChatMessage {
  if (isRepeated) {
    const reason = reasons.length > 0 ? ` (${reasons.join('; ')})` : '';
    return toUserMessage(
      `${STALL_PREFIX} again, and a check still fails: your answer called no tool and held no code that could be put into a file${reason}. Write the function that changes, in full, as code, with its file named in a comment above it.`,
    );
  }
  const form =
    'answer with the function that changes, in full, in one code block that begins with a comment naming its file.';
  return toUserMessage(
    [
      `${STALL_PREFIX} yet, and your answer called no tool: code and claims in an answer change nothing, and nobody else makes the change.`,
      ...(reasons.length > 0 ? [`The code in it was not put into a file: ${reasons.join('; ')}.`] : []),
      ...(view === undefined ? [] : [view]),
      `Change the file now with a tool, or ${form}`,
      isFailing
        ? 'A check still fails, so something has to change.'
        : 'If nothing is to change, give your answer again.',
    ].join('\n'),
  );
}

/** Builds the message after code of an answer was applied. `where`: the changed files, or "no file". */
export const buildAppliedMessage = (where: string, notes: readonly string[]): ChatMessage =>
  toUserMessage([`${CODE_PREFIX} put into ${where}.`, ...notes].join('\n'));

/** Result of a tool call, for the model. */
export interface ResultForModel {
  toolName: string;
  output: string;
  isError: boolean;
  /** Id of the call; undefined if the server gave it none. */
  callId?: string;
}

/**
 * Formats the results of one round, in the order of the calls. In native mode each result is a `tool` message; otherwise all results are
 * one user message.
 */
export function buildResultMessages(results: readonly ResultForModel[], mode: ToolMode): ChatMessage[] {
  if (results.length === 0) return [];
  if (mode !== 'native') {
    return [
      toUserMessage(
        [RESULTS_PREFIX, ...results.map((result, index) => formatResult(result, index + 1))].join('\n'),
      ),
    ];
  }
  return results.map(({ toolName, output, callId }) => ({
    role: 'tool',
    content: output,
    tool_name: toolName,
    ...(callId === undefined ? {} : { tool_call_id: callId }),
  }));
}

/** Formats a result as `[i] name ✓ output` or `[i] name ❌ Error: …`. */
function formatResult({ toolName, output, isError }: ResultForModel, number: number): string {
  if (!isError) return `[${number}] ${toolName} ✓ ${output}`;
  return `[${number}] ${toolName} ❌ Error: ${output.replace(/^error:\s*/i, '')}`;
}

/** An answer of the model, as the next request repeats it. */
export interface AnswerToReplay {
  mode: ToolMode;
  /** Content of the answer; in native mode without the text from which calls were read. */
  content: string;
  thinking?: string;
  calls?: readonly { id?: string; name: string; arguments: Record<string, unknown> }[];
}

/**
 * Builds the message that repeats an answer. In structured and text mode it repeats the answer verbatim; in native mode the calls move to
 * `tool_calls`.
 */
export function buildAnswerMessage({ mode, content, thinking, calls = [] }: AnswerToReplay): ChatMessage {
  const message: ChatMessage = { role: 'assistant', content };
  if (thinking) message.thinking = thinking;
  if (mode !== 'native' || calls.length === 0) return message;
  message.tool_calls = calls.map((call): ChatToolCall => ({
    ...(call.id === undefined ? {} : { id: call.id }),
    function: { name: call.name, arguments: call.arguments },
  }));
  return message;
}

const PROGRAM_PREFIXES = [
  CONTINUATION_TEXT,
  RESULTS_PREFIX,
  PLAN_PREFIX,
  EARLIER_PREFIX,
  CORRECTION_PREFIX,
  REPETITION_PREFIX,
  STALL_PREFIX,
  LAST_ANSWERS_PREFIX,
  CODE_PREFIX,
  CHECKED_PREFIX,
];

/** Returns whether a message is a tool result, in any mode. */
export const isToolResult = ({ role, content }: ChatMessage): boolean =>
  role === 'tool' || (role === 'user' && content.startsWith(RESULTS_PREFIX));

/** Returns whether the program, not a user, wrote a user message. */
export const isProgramMessage = ({ role, content }: ChatMessage): boolean =>
  role === 'user' && PROGRAM_PREFIXES.some((prefix) => content.startsWith(prefix));
