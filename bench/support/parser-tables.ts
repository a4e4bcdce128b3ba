/** How parsers read the real material, as tables: one row a format or a model, `before → after` where two differ. */
import type { Parse } from '../../test/parsing/answers/parser.ts';
import {
  countAgentSteps,
  shareNotRight,
  type StepCount,
} from '../../test/parsing/answers/real/agent-steps.ts';
import { readAgentSteps, type ModelAnswer } from '../../test/parsing/answers/real/material.ts';
import {
  count,
  countByModel,
  readAnswers,
  type AnswerCount,
} from '../../test/parsing/answers/real/model-answers.ts';
import type { Table } from './measure.ts';

/** Another checkout's parser, where there is one, and this one's: in the order in which they are told. */
export type Parsers = readonly Parse[];

export function stepTable(shared: string, parsers: Parsers): Table {
  const steps = readAgentSteps(shared);
  const counts = parsers.map((parse) => countAgentSteps(steps, parse));
  const rows = counts.map((each) => [...each, total(each)]);
  const columns = ['total', 'right', 'lost', 'refused', 'invented', 'changed', 'repaired'] as const;
  const share = changed(counts.map((each) => `${(shareNotRight(each) * 100).toFixed(3)} %`));
  return {
    title: `parser: steps of an agent in ${new Set(counts[0]?.map(({ format }) => format)).size - 1} formats: ${share} not right (target ≤ 0.05 %)`,
    columns: ['format', 'answer', ...columns],
    rows: (rows[0] ?? []).map(({ format, kind }, index) => [format, kind, ...cells(rows, index, columns)]),
  };
}

function total(counts: readonly StepCount[]): StepCount {
  const [first, ...others] = counts;
  if (!first) throw new Error('no formats');
  const sum = { ...first, format: 'all', kind: 'all' as const };
  for (const other of others)
    for (const key of ['total', 'right', 'lost', 'refused', 'invented', 'changed', 'repaired'] as const)
      sum[key] += other[key];
  return sum;
}

export function answerTable(answers: readonly ModelAnswer[], parsers: Parsers): Table {
  const counts = parsers.map((parse) => {
    const read = readAnswers(answers, parse);
    return [count('all', read), ...countByModel(read)];
  });
  const columns = [
    'rows',
    'referenced',
    'same',
    'lost',
    'different',
    'malformed',
    'gained',
    'refused',
    'repaired',
    'truths',
    'truthsReached',
  ] as const;
  const share = changed(counts.map(([all]) => `${sharePercent(all)} %`));
  return {
    title: `parser: answers of ${(counts[0]?.length ?? 1) - 1} models: ${share} of those with a reference read the same (target ≥ 99 %)`,
    columns: ['model', ...columns.map((column) => (column === 'truthsReached' ? 'reached' : column))],
    rows: (counts[0] ?? []).map(({ model }, index) => [model, ...cells(counts, index, columns)]),
  };
}

const sharePercent = (all: AnswerCount | undefined) =>
  (((all?.same ?? 0) / (all?.referenced ?? 1)) * 100).toFixed(2);

function cells<Column extends string>(
  counts: readonly (readonly Record<Column, number>[])[],
  index: number,
  columns: readonly Column[],
): string[] {
  return columns.map((column) => changed(counts.map((rows) => String(rows[index]?.[column] ?? 0))));
}

const changed = (values: readonly string[]) => [...new Set(values)].join(' → ');
