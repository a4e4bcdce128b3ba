/** A later attempt from the tree that an earlier one began with asks for something else. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { onTreeOfNext, type EndedAttempt } from '../../../sidecar/execution/attempts/ended-attempt.ts';
import { RunTotals } from '../../../sidecar/execution/task/run-totals.ts';
import type { CheckResult, VerificationReport } from '../../../sidecar/protocol/result.ts';
import { verbatim } from '../../support/scripted-model.ts';
import { CHECK, draftRuns } from '../drafts/draft-runs.ts';

const { folder, run, writeSource } = draftRuns();

const LINES = 14;
const statements = Array.from({ length: LINES - 1 }, (_, index) => `  a += ${index} - ${index};\n`);
const long = `export function add(a, b) {\n${statements.join('')}  return a - b;\n}\n`;
const noChange = { ...verbatim('I cannot say.'), repeat: 'always' as const };

test('it begins with functions and with lines that were not asked about, and tries no small change twice', async () => {
  writeSource(long);
  const log = join(folder(), 'checks.log');
  const checked = (): number => (existsSync(log) ? readFileSync(log, 'utf8').length : 0);
  const inAttempt = [0, 0];
  const { rows } = await run([noChange], [], {
    config: {
      brief: { seconds: 15 },
      ollama: { slots: 1 },
      solving: { strategy: 'drafts', drafts: 1, rewrites: 1, lines: LINES, smallChanges: 5 },
    },
    task: {
      verification_steps: [{ type: 'command_succeeds', target: `printf x >> ${log}; ${CHECK}` }],
      max_verification_retries: 0,
      metadata: { attempts: 2 },
    },
    onProgress: ({ text }) => {
      if (text.startsWith('Attempt 2')) inAttempt[0] = checked();
    },
  });
  inAttempt[1] = checked() - (inAttempt[0] ?? 0);
  const asked = rows.map(({ args_summary = '' }) => args_summary.replace(/^\d+ of at most \d+, /u, ''));
  const [first, second] = [asked.slice(0, asked.length / 2), asked.slice(asked.length / 2)];
  const lineOf = (text: string): number => Number(/^line (\d+) /u.exec(text)?.[1]);
  const linesOf = (list: string[]): number[] => list.map(lineOf).filter((line) => !Number.isNaN(line));
  expect(first[0]).toBe('temperature 0');
  expect(second[0]).toBe('add of src/add.js, temperature 0.8');
  expect(second.at(-1)).toBe('temperature 0.8');
  expect(linesOf(second)).toEqual([...linesOf(first).slice(10), ...linesOf(first).slice(0, 10)]);
  // The tree as it is, before and after the work, against five small changes more.
  expect(inAttempt).toEqual([7, 2]);
});

describe('attempts that began with the tree of the next one', () => {
  const check = (isPassed: boolean): CheckResult => ({
    type: 'command_succeeds',
    target: 'true',
    description: '',
    status: isPassed ? 'pass' : 'fail',
    output: '',
    duration_ms: 1,
  });
  const report = (passed: number): VerificationReport => ({
    task_id: 't',
    run_number: 1,
    started_at: '2026-01-07T10:00:00.000Z',
    duration_ms: 1,
    timeout_ms: 1,
    status: 'fail',
    checks: [check(passed > 0), check(false)],
    summary: { total: 2, passed, failed: 2 - passed, errors: 0, timed_out: 0 },
  });
  const ended = (number: number, passed: number): EndedAttempt => ({
    number,
    model: 'm',
    ending: { reason: 'final_answer' },
    reports: [report(passed)],
    files: [{ path: 'a.js', status: 'modified', additions: 1, deletions: 1 }],
    base: report(0),
    used: new RunTotals().used,
  });

  test.each([
    ['none before the first', [], 0],
    ['all, where none was better than the untouched tree', [ended(1, 0), ended(2, 0)], 2],
    ['none, where the last one left a better tree', [ended(1, 0), ended(2, 1)], 0],
    ['those after it, where it is still the best', [ended(1, 1), ended(2, 0), ended(3, 0)], 2],
  ])('%s', (_what, list, expected) => {
    expect(onTreeOfNext(list)).toBe(expected);
  });
});
