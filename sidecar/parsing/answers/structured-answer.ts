/**
 * Reads an answer in structured mode: one object with exactly one of `tool_calls`, `response` and
 * `request_approval`. Any other answer is malformed.
 */
import { isRecord } from '../../base/values/json.ts';
import type { ParseContext } from './bodies/body-reader.ts';
import { answerOfKey, type CallCandidate } from './parsed-answer.ts';
import { readMarkedCalls } from './call-shapes.ts';
import { readValue } from './read-value.ts';

const answerKeys = ['tool_calls', 'response', 'request_approval'] as const;

/** Reads an answer from which thinking, and white space at both ends, were removed. Never throws. */
export function readStructured({ source, tools }: ParseContext): CallCandidate {
  const span = { start: 0, end: source.text.length };
  const buildMalformed = (problem: string): CallCandidate => ({
    ...span,
    calls: [],
    isMarked: true,
    problem,
  });
  const reading = source.text.startsWith('{') ? readValue(source, 0) : undefined;
  if (reading?.ok === false) return buildMalformed(reading.reason);
  if (!isRecord(reading?.value)) return buildMalformed('the answer is not one JSON object');
  if (source.skipSpace(reading.end) < span.end) return buildMalformed('there is text after the JSON object');
  const answer = reading.value;
  const presentKeys = answerKeys.filter((key) => answer[key] !== undefined && answer[key] !== null);
  const [key, another] = presentKeys;
  if (key === undefined) return buildMalformed('the object has none of tool_calls, response');
  if (another !== undefined) return buildMalformed(`${presentKeys.join(' and ')} are in one object`);
  const value = answer[key];
  if (key !== 'tool_calls')
    return typeof value === 'string'
      ? { ...span, calls: [], isMarked: true, answer: answerOfKey(key, value) }
      : buildMalformed(`${key} is not a string`);
  if (!Array.isArray(value)) return buildMalformed('tool_calls is not an array');
  const calls = value.map((entry: unknown) => (isRecord(entry) ? readMarkedCalls(entry, tools) : []));
  const namelessIndex = calls.findIndex((readCalls) => readCalls.length !== 1);
  if (namelessIndex !== -1) return buildMalformed(`tool_calls[${namelessIndex}] has no name`);
  const tracedCalls = calls.flat().map((call) => ({ ...call, ...reading.repair }));
  return { ...span, calls: tracedCalls, isMarked: true };
}
