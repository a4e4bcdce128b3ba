/**
 * The program's own messages in a conversation: results, corrections, warnings, the plan. Pure builders with fixed texts,
 * so that they are recognised later (`isProgramMessage`) and never counted as the user's.
 */
import type { ChatMessage, ChatToolCall } from '../../model/chat.ts';
import { buildStructuredCorrection } from '../../model/structured.ts';
import type { ToolMode } from './system-prompt.ts';

/** After an empty answer. */
const NUDGE_TEXT =
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
/** Prefix of a corrective message; the rest comes from verification (`correctionMessage`). */
export const CHECKED_PREFIX = 'The work was checked:';

const user = (content: string): ChatMessage => ({ role: 'user', content });

/** Builds the message after an empty answer. `cutOff`: the answer reached the length limit first. */
export function nudgeMessage({ cutOff = false } = {}): ChatMessage {
  return user(
    cutOff
      ? `${NUDGE_TEXT}\nYour last answer reached the length limit before it said anything: think briefly, then call a tool.`
      : NUDGE_TEXT,
  );
}

/** Builds the message for an operator's text between rounds (`steer`). */
export const steerMessage = (text: string): ChatMessage => user(`${STEER_PREFIX}\n${text}`);

/** Sent when the model may answer twice more. */
export const lastAnswersMessage: ChatMessage = user(
  `${LAST_ANSWERS_PREFIX}: make all reads and edits that are still needed in the next one (it may hold several calls), then finish.`,
);

/** Builds the message for the current plan; a changed plan is appended as a new message. */
export const planMessage = (planText: string): ChatMessage => user(`${PLAN_PREFIX}\n\n${planText}`);

/** The parts of a malformed answer for its correction. */
export interface MalformedAnswer {
  /** The reason of `parseToolCalls`. */
  reason: string;
  mode: ToolMode;
  /** The answer, whose beginning is shown in structured and text mode. */
  content?: string;
  /** Whether a question to the user is a valid answer. */
  approval?: boolean;
}

/** Builds the correction of a malformed answer: the error and the required format. */
export function malformedCorrection({ reason, mode, content, approval }: MalformedAnswer): ChatMessage {
  if (mode !== 'native') return user(buildStructuredCorrection(reason, { content, approval }));
  return user(
    `${CORRECTION_PREFIX} ${reason}\nCall a tool through the tool-calling interface, with its arguments as one JSON ` +
      'object, or answer in plain text when the task is done.',
  );
}

/** Warns at the second identical round in a row. */
export function repetitionWarning(toolNames: readonly string[]): ChatMessage {
  const names = [...new Set(toolNames)].join(', ');
  return user(
    `${REPETITION_PREFIX} (${names}) with the same arguments again. The result will be the same. ` +
      'Do something different: use the result that you have, try another tool or other arguments, or finish with an answer. ' +
      'Once more and the task is stopped.',
  );
}

/** Formats the note below the last result when later calls of an answer were dropped. */
export const callsNotRun = (count: number, reason: string): string =>
  `Only the first ${count === 1 ? 'call' : `${count} calls`} of your answer ran, nothing behind ${count === 1 ? 'it' : 'them'} did: ${reason}.`;

export const tooManyCalls = 'there were too many calls. Make fewer calls at once';

/** Warns after rounds without changes or new information; `roundsLeft` until the task is stopped. */
export function stallWarning({ rounds, roundsLeft }: { rounds: number; roundsLeft: number }): ChatMessage {
  return user(
    `${STALL_PREFIX} in ${rounds} rounds, and nothing was read that you had not seen. Expected now: the change that the task ` +
      'asks for, made with what you know; a file that you have not read yet, if you need one; or an answer, if the work is done ' +
      `or cannot be done. After ${roundsLeft} more such rounds the task is stopped.`,
  );
}

/** An answer without a tool call although a file must change. */
export interface UnmadeChange {
  /** Why its code could not be applied to a file. */
  reasons: readonly string[];
  /** The current text of a file. */
  view?: string;
  /** Whether a check fails, so that a change is needed. */
  isFailing: boolean;
  /** Whether the reminder was sent before, with the file. */
  isAgain: boolean;
}

/** Reminds the model, after an answer without a tool call or change, of what is expected and shows the file. */
export function unchangedReminder({ reasons, view, isFailing, isAgain }: UnmadeChange): ChatMessage {
  if (isAgain) {
    const reason = reasons.length > 0 ? ` (${reasons.join('; ')})` : '';
    return user(
      `${STALL_PREFIX} again, and a check still fails: your answer called no tool and held no code that could be put into a file${reason}. Write the function that changes, in full, as code, with its file named in a comment above it.`,
    );
  }
  const form =
    'answer with the function that changes, in full, in one code block that begins with a comment naming its file.';
  return user(
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

/** Builds the message after an answer with code. `where`: the changed files, or that there are none. */
export const placedMessage = (where: string, notes: readonly string[]): ChatMessage =>
  user([`${CODE_PREFIX} put into ${where}.`, ...notes].join('\n'));

/** A result for the model. */
export interface ResultForModel {
  toolName: string;
  output: string;
  isError: boolean;
  /** Set only if the server gave the call an id. */
  callId?: string;
}

/**
 * Formats the results of one round in the order of its calls: a `tool` message each in native mode, else one user message.
 */
export function resultMessages(results: readonly ResultForModel[], mode: ToolMode): ChatMessage[] {
  if (results.length === 0) return [];
  if (mode !== 'native') {
    return [
      user([RESULTS_PREFIX, ...results.map((result, index) => resultLine(result, index + 1))].join('\n')),
    ];
  }
  return results.map(({ toolName, output, callId }) => ({
    role: 'tool',
    content: output,
    tool_name: toolName,
    ...(callId === undefined ? {} : { tool_call_id: callId }),
  }));
}

/** Formats `[i] name ✓ output` or `[i] name ❌ Error: …`. */
function resultLine({ toolName, output, isError }: ResultForModel, number: number): string {
  if (!isError) return `[${number}] ${toolName} ✓ ${output}`;
  return `[${number}] ${toolName} ❌ Error: ${output.replace(/^error:\s*/i, '')}`;
}

/** A model's answer as repeated in the next request. */
export interface AnswerToReplay {
  mode: ToolMode;
  /** The answer's content; in native mode without the text of calls found in it. */
  content: string;
  thinking?: string;
  calls?: readonly { id?: string; name: string; arguments: Record<string, unknown> }[];
}

/** Repeats the answer verbatim in structured and text mode; in native mode calls move to `tool_calls`. */
export function answerMessage({ mode, content, thinking, calls = [] }: AnswerToReplay): ChatMessage {
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
  NUDGE_TEXT,
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

/** Whether a message is a tool result, in any mode. */
export const isToolResult = ({ role, content }: ChatMessage): boolean =>
  role === 'tool' || (role === 'user' && content.startsWith(RESULTS_PREFIX));

/** Whether the program wrote a user message. */
export const isProgramMessage = ({ role, content }: ChatMessage): boolean =>
  role === 'user' && PROGRAM_PREFIXES.some((prefix) => content.startsWith(prefix));
