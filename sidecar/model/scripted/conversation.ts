/**
 * Finds the turn of a request and fills its reply. Pure: the position follows from the conversation (its number of
 * assistant messages), so that parallel tasks, retries and a restarted server need no state.
 */
import type {
  ScriptRule,
  Scenario,
  Script,
  ScriptedReply,
  ScriptTurn,
  RequestConditions,
} from './scenario.ts';

/** The parts of a chat request that scripts use. */
export interface ChatBody {
  model: string;
  messages: { role: string; content: string; tool_name?: string; tool_calls?: { function?: unknown }[] }[];
  tools?: unknown[];
  format?: unknown;
  stream?: boolean;
  think?: unknown;
  truncate?: boolean;
  keep_alive?: unknown;
  options?: Record<string, unknown>;
}

/** A turn, with the key for counting its faults. */
export type TurnMatch =
  { turn: ScriptTurn | ScriptRule; key: string; position: number } | { missing: string };

const textOf = (body: ChatBody, role: string, position: 'first' | 'last'): string => {
  const matching = body.messages.filter((message) => message.role === role);
  return (position === 'first' ? matching[0] : matching.at(-1))?.content ?? '';
};

const sourceReaders: Record<string, (body: ChatBody, position: number) => string> = {
  model: (body) => body.model,
  system: (body) => textOf(body, 'system', 'first'),
  firstUser: (body) => textOf(body, 'user', 'first'),
  lastUser: (body) => textOf(body, 'user', 'last'),
  lastMessage: (body) => body.messages.at(-1)?.content ?? '',
  lastToolResult: (body) => findLastToolResult(body),
  turn: (_body, position) => String(position + 1),
};

/** Returns the newest tool result, which is the newest user message in structured and text mode. */
function findLastToolResult(body: ChatBody): string {
  const lastResult = body.messages.findLast((message) => message.role === 'tool');
  if (lastResult) return lastResult.content;
  const user = textOf(body, 'user', 'last');
  return user.startsWith('Tool results:') ? user : '';
}

/** Returns whether all given conditions hold. */
export function matchesRequest(when: RequestConditions, body: ChatBody): boolean {
  const { tools, format, contains, ...texts } = when;
  if (tools !== undefined && tools !== hasTools(body)) return false;
  if (format !== undefined && format !== (body.format !== undefined)) return false;
  if (contains !== undefined && !body.messages.some((message) => message.content.includes(contains)))
    return false;
  return Object.entries(texts).every(
    ([source, text]) => text === undefined || (sourceReaders[source]?.(body, 0) ?? '').includes(text),
  );
}

export const hasTools = (body: ChatBody): boolean => (body.tools?.length ?? 0) > 0;

/**
 * Returns the turn for a request: the first matching rule, else the first matching script at its position. `countAnswered`
 * returns the number of answered requests of a key.
 */
export function findTurn(
  scenario: Scenario,
  body: ChatBody,
  countAnswered: (key: string) => number,
): TurnMatch {
  const task = `${body.model}\n${textOf(body, 'user', 'first')}`;
  const ruleIndex = scenario.rules.findIndex((rule) => matchesRequest(rule.when, body));
  const rule = scenario.rules[ruleIndex];
  if (rule) return { turn: rule, key: `rule ${ruleIndex}\n${task}`, position: countAssistantMessages(body) };
  const scriptIndex = scenario.scripts.findIndex((script) => matchesRequest(script.when, body));
  const script = scenario.scripts[scriptIndex];
  if (!script) return { missing: 'no rule and no script matches this request' };
  const key = `script ${scriptIndex}\n${task}`;
  const position = positionReaders[script.position](body, () => countAnswered(key));
  const turn = findTurnAt(script, position);
  if (!turn) return { missing: `script "${script.name}" has no turn ${position + 1}` };
  return { turn, key, position };
}

const positionReaders: Record<Script['position'], (body: ChatBody, countAnswered: () => number) => number> = {
  conversation: (body) => countAssistantMessages(body),
  requests: (_body, answered) => answered(),
  seed: ({ options }) => (typeof options?.seed === 'number' ? options.seed - 1 : 0),
};

const countAssistantMessages = (body: ChatBody): number =>
  body.messages.filter((message) => message.role === 'assistant').length;

function findTurnAt(script: Script, position: number): ScriptTurn | undefined {
  let end = 0;
  return script.turns.find((turn) => {
    end += turn.repeat === 'always' ? Infinity : turn.repeat;
    return position < end;
  });
}

/**
 * Fills `{{source}}` and `{{source|regular expression}}` (its first group, else the whole match) in every text of a reply.
 * Unknown sources stay, so that a file full of braces survives.
 */
export function fillReply(reply: ScriptedReply, body: ChatBody, position: number): ScriptedReply {
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(\w+)(?:\|(.+?))?\}\}/g, (whole, source: string, expression?: string) => {
      const value = Object.hasOwn(sourceReaders, source)
        ? sourceReaders[source]?.(body, position)
        : undefined;
      if (value === undefined) return whole;
      if (expression === undefined) return value;
      const match = new RegExp(expression).exec(value);
      return match?.[1] ?? match?.[0] ?? '';
    });
  return mapTexts(reply, fill) as ScriptedReply;
}

function mapTexts(value: unknown, convert: (text: string) => string): unknown {
  if (typeof value === 'string') return convert(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, convert));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, convert)]));
}

/** Counts the characters of messages and tools, which a real server would turn into tokens. */
export const countPromptChars = (body: ChatBody): number =>
  JSON.stringify(body.messages).length + (hasTools(body) ? JSON.stringify(body.tools).length : 0);
