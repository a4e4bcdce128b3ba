/**
 * What the task of an answer wanted, and whether calls reach it: as many calls as wanted, in any order. A value reaches a
 * wanted one when it means the same, or differs only in case and the marks that the leaderboard's own checker leaves out.
 */
import type { ToolDefinition } from '../../../../sidecar/model/chat.ts';
import { isRecord, parseJson } from '../../../../sidecar/base/values/json.ts';
import { isSameValue, meant, type MeantCall } from './meaning.ts';

interface WantedCall {
  name: string;
  /** By argument the values that are right; an empty text among them says that it may be left out. */
  values: Record<string, unknown>;
  /** There is one right value for each argument, not a list of them. */
  isExact: boolean;
}

/** undefined where nobody wrote down what the task wanted. */
export function isTruthReached(
  calls: readonly MeantCall[],
  truth: unknown,
  tools: readonly ToolDefinition[],
): boolean | undefined {
  const wanted = wantedCalls(truth);
  if (!wanted) return undefined;
  if (wanted.length !== calls.length) return false;
  const left = [...calls];
  return wanted.every((call) => {
    const at = left.findIndex((candidate) => reaches(candidate, call, tools));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** The sources write it in five ways: the leaderboard's (by name, or a list of that), lists of calls, an object of them, a text. */
function wantedCalls(truth: unknown): WantedCall[] | undefined {
  if (typeof truth === 'string') return wantedCalls(parseJson(truth.replace(/^```\w*|```$/g, '').trim()));
  if (Array.isArray(truth)) return truth.filter(isRecord).map(exactCall);
  if (!isRecord(truth)) return undefined;
  if (Array.isArray(truth.calls)) return truth.calls.filter(isRecord).map(exactCall);
  if (truth.ground_truth === undefined) return undefined;
  return [truth.ground_truth].flat().filter(isRecord).flatMap(callsByName);
}

function exactCall(call: Record<string, unknown>): WantedCall {
  const inner = isRecord(call.function) ? call.function : call;
  const name = inner.name ?? inner.function;
  const args: unknown = inner.arguments ?? inner.parameters ?? {};
  const values = typeof args === 'string' ? parseJson(args) : args;
  return { name: String(name), values: isRecord(values) ? values : {}, isExact: true };
}

/** The older files number the calls of one tool: `f 1`, `f 2`. */
const callsByName = (byName: Record<string, unknown>): WantedCall[] =>
  Object.entries(byName).map(([name, values]) => ({
    name: name.replace(/ \d+$/, ''),
    values: isRecord(values) ? values : {},
    isExact: false,
  }));

function reaches(call: MeantCall, wanted: WantedCall, tools: readonly ToolDefinition[]): boolean {
  const { name, arguments: exact } = meant([wanted.name, wanted.isExact ? wanted.values : {}], tools);
  if (call.name !== name) return false;
  return wanted.isExact
    ? isSameOrNear(call.arguments, exact)
    : areAmongPossible(call.arguments, wanted.values);
}

function areAmongPossible(values: Record<string, unknown>, possible: Record<string, unknown>): boolean {
  const isKnown = Object.keys(values).every((key) => Object.hasOwn(possible, key));
  return (
    isKnown &&
    Object.entries(possible).every(([key, right]) => {
      const accepted: unknown[] = Array.isArray(right) ? right : [right];
      if (!Object.hasOwn(values, key)) return accepted.includes('') || accepted.includes(null);
      return accepted.some((value) => isAccepted(values[key], value));
    })
  );
}

/** Objects hold lists of possible values again, at every depth. */
function isAccepted(value: unknown, accepted: unknown): boolean {
  if (isRecord(value) && isRecord(accepted)) return areAmongPossible(value, accepted);
  if (Array.isArray(value) && Array.isArray(accepted))
    return (
      value.length === accepted.length && value.every((item, index) => isAccepted(item, accepted[index]))
    );
  return isSameOrNear(value, accepted);
}

function isSameOrNear(value: unknown, wanted: unknown): boolean {
  if (isRecord(value) && isRecord(wanted))
    return (
      Object.keys(value).length === Object.keys(wanted).length &&
      Object.keys(value).every((key) => isSameOrNear(value[key], wanted[key]))
    );
  if (typeof value === 'string' && typeof wanted === 'string') return bare(value) === bare(wanted);
  return isSameValue(value, wanted);
}

const bare = (text: string) =>
  text
    .replace(/[ ,./\-_*^]/g, '')
    .replaceAll("'", '"')
    .toLowerCase();
