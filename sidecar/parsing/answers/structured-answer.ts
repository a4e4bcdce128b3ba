/**
 * Reads an answer in structured mode: one object with exactly one of `tool_calls`, `response` and
 * `request_approval`. Any other answer is malformed.
 */
import { isRecord } from '../../base/values/json.ts';
import type { ParseContext } from './bodies/body.ts';
import { answerOfKey, type CallCandidate } from './result.ts';
import { markedCalls } from './shapes.ts';
import { readValue } from './value.ts';

const answerKeys = ['tool_calls', 'response', 'request_approval'] as const;

/** Reads an answer from which thinking and outer white space were removed. Never throws. */
export function readStructured({ source, tools }: ParseContext): CallCandidate {
  const span = { start: 0, end: source.text.length };
  const malformed = (problem: string): CallCandidate => ({ ...span, calls: [], isMarked: true, problem });
  const reading = source.text.startsWith('{') ? readValue(source, 0) : undefined;
  if (reading?.ok === false) return malformed(reading.reason);
  if (!isRecord(reading?.value)) return malformed('the answer is not one JSON object');
  if (source.skipSpace(reading.end) < span.end) return malformed('there is text after the JSON object');
  const answer = reading.value;
  const present = answerKeys.filter((key) => answer[key] !== undefined && answer[key] !== null);
  const [key, another] = present;
  if (key === undefined) return malformed('the object has none of tool_calls, response');
  if (another !== undefined) return malformed(`${present.join(' and ')} stand in one object`);
  const value = answer[key];
  if (key !== 'tool_calls')
    return typeof value === 'string'
      ? { ...span, calls: [], isMarked: true, answer: answerOfKey(key, value) }
      : malformed(`${key} is not a string`);
  if (!Array.isArray(value)) return malformed('tool_calls is not an array');
  const calls = value.map((entry: unknown) => (isRecord(entry) ? markedCalls(entry, tools) : []));
  const nameless = calls.findIndex((found) => found.length !== 1);
  if (nameless !== -1) return malformed(`tool_calls[${nameless}] has no name`);
  const traced = calls.flat().map((call) => ({ ...call, ...reading.traces }));
  return { ...span, calls: traced, isMarked: true };
}
