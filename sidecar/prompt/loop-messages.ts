/**
 * The messages that the program itself puts into a conversation: results, corrections, warnings, the plan.
 * Pure builders; the texts are the same each time, so that they can be recognised again (`isProgramMessage`)
 * and never counted as something that a person said.
 */
import type { ChatMessage, ChatToolCall } from '../model/chat.ts';
import { structuredCorrection } from '../model/structured.ts';
import type { ToolMode } from './system-prompt.ts';

/** After an empty answer. */
const NUDGE_TEXT =
  'Please use the available tools to complete the task. Do not just describe what to do -- actually call the tools.';
/** Result of a call that was under way when the worker was killed. */
export const INTERRUPTED_TEXT = 'Error: interrupted, outcome unknown, inspect before you go on.';

export const RESULTS_PREFIX = 'Tool results:';
export const PLAN_PREFIX = 'Plan document:';
export const EARLIER_PREFIX = 'Earlier work, shortened:';
const STEER_PREFIX = 'Message from the operator:';
const CORRECTION_PREFIX = 'Your answer could not be used:';
const REPETITION_PREFIX = 'You made the same call';
const STALL_PREFIX = 'No file has changed';
const LAST_PREFIX = 'Two answers are left';
const CODE_PREFIX = 'The code of your answer was';
/** Opens a corrective round; the rest of that message is the verification's (`correctionMessage`). */
export const CHECKED_PREFIX = 'The work was checked:';

const user = (content: string): ChatMessage => ({ role: 'user', content });

/** `cutOff`: the answer reached the length limit before it said anything. */
export function nudgeMessage({ cutOff = false } = {}): ChatMessage {
  return user(
    cutOff
      ? `${NUDGE_TEXT}\nYour last answer reached the length limit before it said anything: think briefly, then call a tool.`
      : NUDGE_TEXT,
  );
}

/** A person's text that came in between rounds (`steer`). */
export const steerMessage = (text: string): ChatMessage => user(`${STEER_PREFIX}\n${text}`);

/** Sent when the model may answer twice more. */
export const lastAnswersMessage: ChatMessage = user(
  `${LAST_PREFIX}: make all reads and edits that are still needed in the next one (it may hold several calls), then finish.`,
);

/** The plan as it is now; a changed plan is appended as a new message. */
export const planMessage = (planText: string): ChatMessage => user(`${PLAN_PREFIX}\n\n${planText}`);

/** A malformed answer, as its correction needs it. */
export interface MalformedAnswer {
  /** That of `parseToolCalls`. */
  reason: string;
  mode: ToolMode;
  /** The answer, whose beginning is shown in structured and text mode. */
  content?: string;
  /** Whether a question to a person is a right answer too. */
  approval?: boolean;
}

/** The correction for a malformed answer: the error and the exact format wanted. */
export function malformedCorrection({ reason, mode, content, approval }: MalformedAnswer): ChatMessage {
  if (mode !== 'native') return user(structuredCorrection(reason, { content, approval }));
  return user(
    `${CORRECTION_PREFIX} ${reason}\nCall a tool through the tool-calling interface, with its arguments as one JSON ` +
      'object, or answer in plain text when the task is done.',
  );
}

/** At the second identical round in a row. */
export function repetitionWarning(toolNames: readonly string[]): ChatMessage {
  const names = [...new Set(toolNames)].join(', ');
  return user(
    `${REPETITION_PREFIX} (${names}) with the same arguments again. The result will be the same. ` +
      'Do something different: use the result that you have, try another tool or other arguments, or finish with an answer. ' +
      'Once more and the task is stopped.',
  );
}

/** Under the last result of an answer whose further calls were not taken, with the reason. */
export const callsNotRun = (count: number, reason: string): string =>
  `Only the first ${count === 1 ? 'call' : `${count} calls`} of your answer ran, nothing behind ${count === 1 ? 'it' : 'them'} did: ${reason}.`;

export const tooManyCalls = 'there were too many calls. Make fewer calls at once';

/** After rounds that changed nothing and showed nothing new; `roundsLeft` until the task is stopped. */
export function stallWarning({ rounds, roundsLeft }: { rounds: number; roundsLeft: number }): ChatMessage {
  return user(
    `${STALL_PREFIX} in ${rounds} rounds, and nothing was read that you had not seen. Expected now: the change that the task ` +
      'asks for, made with what you know; a file that you have not read yet, if you need one; or an answer, if the work is done ' +
      `or cannot be done. After ${roundsLeft} more such rounds the task is stopped.`,
  );
}

/** An answer that called no tool where a file is to change, as its reminder needs it. */
export interface UnmadeChange {
  /** Why code in it could not be put into a file. */
  reasons: readonly string[];
  /** A file as it is now. */
  view?: string;
  /** A check is known to fail: something has to change. */
  isFailing: boolean;
  /** It was said before, with the file. */
  isAgain: boolean;
}

/** After an answer that called no tool and changed nothing: what is wanted, and the file that it is about. */
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

/** After an answer that called no tool and contained code. `where`: the files that it changed, or that there is none. */
export const placedMessage = (where: string, notes: readonly string[]): ChatMessage =>
  user([`${CODE_PREFIX} put into ${where}.`, ...notes].join('\n'));

/** A result as it goes back to the model. */
export interface ResultForModel {
  toolName: string;
  output: string;
  isError: boolean;
  /** Only when the server gave the call an id. */
  callId?: string;
}

/**
 * The results of one round, in the order of its calls: a `tool` message each in native mode, else one user
 * message.
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

/** `[i] name ✓ output` or `[i] name ❌ Error: …`. */
function resultLine({ toolName, output, isError }: ResultForModel, number: number): string {
  if (!isError) return `[${number}] ${toolName} ✓ ${output}`;
  return `[${number}] ${toolName} ❌ Error: ${output.replace(/^error:\s*/i, '')}`;
}

/** A model's answer as it is replayed in the next request. */
export interface AnswerToReplay {
  mode: ToolMode;
  /** The answer's content; in native mode without the text of calls that were found in it. */
  content: string;
  thinking?: string;
  calls?: readonly { id?: string; name: string; arguments: Record<string, unknown> }[];
}

/** Word for word in structured and text mode; in native mode calls stand in `tool_calls`, wherever they were found. */
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
  LAST_PREFIX,
  CODE_PREFIX,
  CHECKED_PREFIX,
];

/** Results of tools, in whichever mode they were sent. */
export const isToolResult = ({ role, content }: ChatMessage): boolean =>
  role === 'tool' || (role === 'user' && content.startsWith(RESULTS_PREFIX));

/** A user message that the program wrote and no person said. */
export const isProgramMessage = ({ role, content }: ChatMessage): boolean =>
  role === 'user' && PROGRAM_PREFIXES.some((prefix) => content.startsWith(prefix));
