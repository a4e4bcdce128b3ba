/** How the parser reads the raw answers of many models, beside the reference and beside what their tasks wanted. */
import type { Parse, ParsedAnswer } from '../parser.ts';
import type { ModelAnswer } from './material.ts';
import { isSameCall, meant, meantByParser } from './meaning.ts';
import { isTruthReached } from './truth.ts';

/**
 * Where the reference reads something: `same`, `lost` (fewer calls, without a word), `malformed` or `different` (more calls,
 * or others). Where it reads nothing: `same` (no call either), `gained` (calls) or `refused` (malformed).
 */
export type Reading = 'same' | 'lost' | 'malformed' | 'different' | 'gained' | 'refused';

export interface ReadAnswer {
  row: ModelAnswer;
  answer: ParsedAnswer;
  reading: Reading;
  repaired: boolean;
  /** undefined where nobody wrote down what the task wanted. */
  truthReached: boolean | undefined;
}

export interface AnswerCount extends Record<Exclude<Reading, 'same'>, number> {
  model: string;
  rows: number;
  /** Rows that the reference reads as calls, and those of them that are read the same. */
  referenced: number;
  same: number;
  repaired: number;
  truths: number;
  truthsReached: number;
}

export const readAnswers = (rows: readonly ModelAnswer[], parse: Parse): ReadAnswer[] =>
  rows.map((row) => readAnswer(row, parse));

function readAnswer(row: ModelAnswer, parse: Parse): ReadAnswer {
  const answer = parse({ content: row.text }, { tools: row.tools });
  const calls = meantByParser(answer, row.tools);
  return {
    row,
    answer,
    reading: reading(row, answer),
    repaired: answer.type === 'tool_calls' && answer.calls.some(({ repaired }) => repaired),
    truthReached: isTruthReached(calls, row.truth, row.tools),
  };
}

function reading({ reference, tools }: ModelAnswer, answer: ParsedAnswer): Reading {
  const calls = meantByParser(answer, tools);
  if (!reference) {
    if (answer.type === 'malformed') return 'refused';
    return calls.length > 0 ? 'gained' : 'same';
  }
  if (answer.type === 'malformed') return 'malformed';
  if (calls.length < reference.calls.length) return 'lost';
  const isSame =
    calls.length === reference.calls.length &&
    reference.calls.every((call, index) => isSameCall(meant(call, tools), calls[index] ?? noCall));
  return isSame ? 'same' : 'different';
}

const noCall = { name: '', arguments: {} };

/** A row for each model in the order of their names. */
export function countByModel(read: readonly ReadAnswer[]): AnswerCount[] {
  const byModel = new Map<string, ReadAnswer[]>();
  for (const each of read) byModel.set(each.row.model, [...(byModel.get(each.row.model) ?? []), each]);
  return [...byModel]
    .map(([model, answers]) => count(model, answers))
    .sort((a, b) => a.model.localeCompare(b.model, 'en'));
}

export function count(model: string, read: readonly ReadAnswer[]): AnswerCount {
  const withReference = read.filter(({ row }) => row.reference);
  const those = (of: Reading, among = read) => among.filter(({ reading: found }) => found === of).length;
  return {
    model,
    rows: read.length,
    referenced: withReference.length,
    same: those('same', withReference),
    lost: those('lost'),
    different: those('different'),
    malformed: those('malformed'),
    gained: those('gained'),
    refused: those('refused'),
    repaired: read.filter(({ repaired }) => repaired).length,
    truths: read.filter(({ truthReached }) => truthReached !== undefined).length,
    truthsReached: read.filter(({ truthReached }) => truthReached).length,
  };
}
