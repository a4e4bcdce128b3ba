/**
 * Selects the accepted calls that can run, up to the first call that must be sent back. A call is sent back
 * if it is unreadable, or if the text after it shows that one of its values ended too early.
 */
import type { ParseContext } from './bodies/body-reader.ts';
import { finishCall, isCutOffEmpty } from './finish-call.ts';
import {
  earlyCutOffReason,
  elementAdvice,
  jsonAdvice,
  MAX_CALLS,
  formatNotRun,
  type CallCandidate,
  type ParsedCall,
  type RawCall,
} from './parsed-answer.ts';
import type { AnswerText } from './answer-text.ts';

export function takeCalls(
  candidates: readonly CallCandidate[],
  { source, tools }: ParseContext,
): { calls: ParsedCall[]; unread?: string; hasMore?: true } {
  const calls: ParsedCall[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const next = candidates.slice(index + 1).find((later) => later.calls.length > 0);
    const doubt = findDoubtAfter(source, candidate, next?.start ?? source.text.length);
    for (const [callIndex, raw] of candidate.calls.entries()) {
      if (calls.length === MAX_CALLS) return { calls, hasMore: true };
      const isLast = callIndex === candidate.calls.length - 1;
      if (isLast && isCutOffCall(raw, candidate, source))
        return { calls, unread: formatNotRun(raw.name, earlyCutOffReason) };
      const finished = finishCall(isLast ? { ...raw, doubt: raw.doubt ?? doubt } : raw, tools);
      if (!finished.ok) return { calls, unread: finished.reason };
      calls.push(finished.call);
    }
    if (candidate.problem !== undefined) return { calls, unread: candidate.problem };
  }
  return { calls };
}

/** Returns whether the answer ends inside a call before the call's first value. */
const isCutOffCall = (
  { arguments: args = {}, repaired, isText, positional = [] }: RawCall,
  { end }: CallCandidate,
  { text }: AnswerText,
): boolean =>
  (repaired === true || isText === true) &&
  positional.length === 0 &&
  end >= text.trimEnd().length &&
  isCutOffEmpty(args, text.trimEnd());

/**
 * Returns a reason if the text after a candidate shows that one of the candidate's values ended too early. Unless the candidate is exact,
 * the text after the next candidate is examined, too, because a repaired value may continue there.
 */
function findDoubtAfter(
  source: AnswerText,
  { calls, end, family }: CallCandidate,
  next: number,
): string | undefined {
  const isExact = !calls.some(({ repaired }) => repaired);
  const textAfter = source.text.slice(end, isExact ? next : undefined);
  if (calls.some(({ isText }) => isText))
    return closesUnopenedBracket(textAfter, valueTag)
      ? `a closing tag is inside a value, so the end of the value is ambiguous. ${elementAdvice}`
      : undefined;
  if (family === 'pythonic' && isExact && /^\s*(?:```|$)/.test(textAfter)) return undefined;
  const mayClose = /["'”]\s{0,20}[}\])]/.test(textAfter);
  return !source.spend(textAfter.length) || (mayClose && closesUnopenedBracket(textAfter, bracketToken))
    ? `the rest of a string follows the call. ${jsonAdvice}`
    : undefined;
}

/** Matches brackets. The group `sure` matches if a quote stands directly before the bracket. */
const bracketToken = /(?<sure>["'”]\s{0,20})?(?:(?<close>[}\])])|(?<open>[{[(]))/g;
const openingByClosing: Readonly<Record<string, string>> = { '}': '{', ']': '[', ')': '(' };

/** Pattern of tag names of dialects whose values are not escaped. */
const tagName =
  '(?:｜DSML｜|[a-z]{1,8}[:_])?(?:parameter|param|function|invoke|arg_key|arg_value|arguments|input)';
/** Matches such a tag, or a mark around a text in Gemma's notation. */
const valueTag = new RegExp(
  `(?<sure><escape>|<\\|"\\|>|</(?<close>${tagName})>)|<(?<open>${tagName})[\\s=>]`,
  'g',
);

/** Returns whether a text certainly closes something that it did not open. If so, a value of the call before it ended too early. */
function closesUnopenedBracket(text: string, tokens: RegExp): boolean {
  const depths = new Map<string, number>();
  for (const { groups: { sure, close = '', open } = {} } of text.matchAll(tokens)) {
    const name = open ?? openingByClosing[close] ?? close;
    const depth = depths.get(name) ?? 0;
    if (open === undefined && depth === 0 && sure !== undefined) return true;
    depths.set(name, open === undefined ? Math.max(0, depth - 1) : depth + 1);
  }
  return false;
}
