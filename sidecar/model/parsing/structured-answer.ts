/**
 * Structured mode: the answer is one object with exactly one of
 * `tool_calls`, `response` and `request_approval`; anything else is malformed.
 */
import { isRecord } from '../../values/json.ts';
import { taggedCalls } from './call-shapes.ts';
import { answerKeys } from './json-candidate.ts';
import { tracesOf } from './formats/json-body.ts';
import { readJson } from './json-value.ts';
import type { KnownTools } from './known-tools.ts';
import type { RawCall } from './result.ts';
import type { Source } from './source.ts';

export type StructuredReading =
  | { kind: 'calls'; calls: RawCall[] }
  | { kind: 'response' | 'request_approval'; text: string }
  | { kind: 'malformed'; reason: string };

/** `source` holds the answer without thinking and outer white space. Never throws. */
export function readStructured(source: Source, tools: KnownTools): StructuredReading {
  const { text } = source;
  if (!text.startsWith('{')) return malformed('the answer is not one JSON object');
  const closing = source.brackets.closing(0);
  const reading = readJson(source, 0, text.length);
  if (!reading.ok) return malformed(reading.reason);
  if (reading.end < text.length && (closing !== -1 || text.slice(reading.end).trim() !== ''))
    return malformed('there is text after the JSON object');
  if (!isRecord(reading.value)) return malformed('the answer is not one JSON object');
  const reply = meaningOf(reading.value, tools);
  if (reply.kind !== 'calls') return reply;
  return { kind: 'calls', calls: reply.calls.map((call) => ({ ...call, ...tracesOf(reading) })) };
}

function meaningOf(answer: Record<string, unknown>, tools: KnownTools): StructuredReading {
  const present = answerKeys.filter((key) => answer[key] !== undefined && answer[key] !== null);
  const [key] = present;
  if (key === undefined) return malformed('the object has none of tool_calls, response');
  if (present.length > 1) return malformed(`${present.join(' and ')} stand in one object`);
  const value = answer[key];
  if (key === 'tool_calls') return callsOf(value, tools);
  return typeof value === 'string' ? { kind: key, text: value } : malformed(`${key} is not a string`);
}

function callsOf(value: unknown, tools: KnownTools): StructuredReading {
  if (!Array.isArray(value)) return malformed('tool_calls is not an array');
  const calls = value.map((entry: unknown) => (isRecord(entry) ? taggedCalls(entry, tools) : []));
  const nameless = calls.findIndex((found) => found.length !== 1);
  if (nameless !== -1) return malformed(`tool_calls[${nameless}] has no name`);
  return { kind: 'calls', calls: calls.flat() };
}

function malformed(reason: string): StructuredReading {
  return { kind: 'malformed', reason };
}
