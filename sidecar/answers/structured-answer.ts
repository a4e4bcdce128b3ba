/**
 * Structured mode: the answer is one object with exactly one of `tool_calls`, `response` and `request_approval`;
 * anything else is malformed.
 */
import { isRecord } from '../values/json.ts';
import type { Context } from './bodies/body.ts';
import type { RawCall } from './result.ts';
import { markedCalls } from './shapes.ts';
import { readValue } from './value.ts';

export type StructuredReading =
  | { kind: 'calls'; calls: RawCall[] }
  | { kind: 'response' | 'request_approval'; text: string }
  | { kind: 'malformed'; reason: string };

const answerKeys = ['tool_calls', 'response', 'request_approval'] as const;

/** `source` holds the answer without thinking and outer white space. Never throws. */
export function readStructured({ source, tools }: Context): StructuredReading {
  const { text } = source;
  if (!text.startsWith('{')) return malformed('the answer is not one JSON object');
  const reading = readValue(source, 0);
  if (!reading.ok) return malformed(reading.reason);
  if (text.slice(reading.end).trim() !== '') return malformed('there is text after the JSON object');
  if (!isRecord(reading.value)) return malformed('the answer is not one JSON object');
  const answer = reading.value;
  const present = answerKeys.filter((key) => answer[key] !== undefined && answer[key] !== null);
  const [key, another] = present;
  if (key === undefined) return malformed('the object has none of tool_calls, response');
  if (another !== undefined) return malformed(`${present.join(' and ')} stand in one object`);
  const value = answer[key];
  if (key !== 'tool_calls')
    return typeof value === 'string' ? { kind: key, text: value } : malformed(`${key} is not a string`);
  if (!Array.isArray(value)) return malformed('tool_calls is not an array');
  const calls = value.map((entry: unknown) => (isRecord(entry) ? markedCalls(entry, tools) : []));
  const nameless = calls.findIndex((found) => found.length !== 1);
  if (nameless !== -1) return malformed(`tool_calls[${nameless}] has no name`);
  return { kind: 'calls', calls: calls.flat().map((call) => ({ ...call, ...reading.traces })) };
}

function malformed(reason: string): StructuredReading {
  return { kind: 'malformed', reason };
}
