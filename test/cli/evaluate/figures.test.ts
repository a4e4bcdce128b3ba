import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readMeasuredRates } from '../../../sidecar/cli/evaluate/measured-rates.ts';
import { formatReport } from '../../../sidecar/cli/evaluate/report.ts';
import { comparePaired, estimate } from '../../../sidecar/cli/evaluate/statistics.ts';
import {
  summarise,
  type EvaluationSettings,
  type ModelSummary,
} from '../../../sidecar/cli/evaluate/summary.ts';
import { splitVariant } from '../../../sidecar/cli/evaluate/variant.ts';
import { writeProfiles, type ProfileCandidate } from '../../../sidecar/cli/evaluate/write-profile.ts';
import { evaluationRecord } from '../../support/evaluation-record.ts';
import { tempFolders } from '../../support/temp-folder.ts';

describe('estimates', () => {
  test('the mean counts each task once, however often it was run', () => {
    expect(estimate([[1, 1, 1], [0]]).mean).toBe(0.5);
  });

  test('the interval holds the mean, is the same each time, and shrinks with more tasks', () => {
    const few = estimate(Array.from({ length: 10 }, (_value, index) => [index % 2]));
    const many = estimate(Array.from({ length: 200 }, (_value, index) => [index % 2]));
    expect(few.low).toBeLessThan(0.5);
    expect(few.high).toBeGreaterThan(0.5);
    expect(many.high - many.low).toBeLessThan(few.high - few.low);
    // The normal approximation of 200 halves: 0.5 ± 1.645 × 0.0354.
    expect(many.low).toBeCloseTo(0.442, 1);
    expect(estimate([[1], [0], [1]])).toEqual(estimate([[1], [0], [1]]));
  });

  test('nothing to estimate is 0', () => {
    expect(estimate([])).toEqual({ mean: 0, low: 0, high: 0 });
  });
});

describe('comparisons', () => {
  const pairs = (better: number, same: number): [number, number][] => [
    ...Array.from({ length: better }, (): [number, number] => [1, 0]),
    ...Array.from({ length: same }, (): [number, number] => [1, 1]),
  ];

  test('one task of thirty may be noise, ten of thirty are not', () => {
    expect(comparePaired(pairs(1, 29))).toMatchObject({ tasks: 30, isReal: false });
    expect(comparePaired(pairs(10, 20))).toMatchObject({ tasks: 30, isReal: true, p: 0 });
  });

  test('with few tasks nothing is called a difference', () => {
    expect(comparePaired(pairs(2, 0)).isReal).toBe(false);
    expect(comparePaired([])).toMatchObject({ tasks: 0, isReal: false, p: 1 });
  });

  test('what goes both ways is noise', () => {
    const both: [number, number][] = [
      ...pairs(8, 0),
      ...pairs(8, 0).map(([a, b]): [number, number] => [b, a]),
    ];
    const compared = comparePaired(both);
    expect(compared.difference.mean).toBe(0);
    expect(compared.isReal).toBe(false);
    expect(compared.p).toBeGreaterThan(0.5);
  });
});

test('what came from outside stays in its cell of the report', () => {
  const hostile = 'a | b\n# c <script>';
  const settings: EvaluationSettings = {
    suite: 's',
    models: [hostile],
    runs: 1,
    set: {},
    timeoutSeconds: 600,
    program: 'ollama-sidecar',
    startedAt: '2026-01-01T00:00:00.000Z',
  };
  const records = [evaluationRecord({ model: hostile, solved: false, why: hostile })];
  const report = formatReport({ settings, summaries: summarise(records) });
  expect(report).toContain('| a \\| b \\# c \\<script\\> |\n');
  expect(report.match(/^# /gmu)).toHaveLength(1);
});

/** What models were measured to solve, from the evaluations on this machine. */
describe('measured rates', () => {
  const folder = tempFolders();

  function evaluation(root: string, name: string, solved: Record<string, boolean[]>): void {
    const records = Object.entries(solved).flatMap(([model, runs]) =>
      runs.map((isSolved, index) => evaluationRecord({ model, run: index + 1, solved: isSolved })),
    );
    const settings = {
      suite: 's',
      models: Object.keys(solved),
      runs: 2,
      timeoutSeconds: 60,
      program: 'x',
      startedAt: name,
    };
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'result.json'), JSON.stringify({ settings, records }));
  }

  test('are the newest of each model, of this program, that can be read', async () => {
    const root = folder();
    evaluation(root, '2026-01-01', { a: [false, false], b: [true, true] });
    evaluation(root, '2026-02-01', { a: [true, false] });
    mkdirSync(join(root, '2026-04-01'));
    mkdirSync(join(root, '2026-05-01'));
    writeFileSync(join(root, '2026-05-01', 'result.json'), '{');
    const rates = await readMeasuredRates(root);
    expect(Object.fromEntries(rates)).toEqual({
      a: { solved: 0.5, runs: 2, at: '2026-02-01' },
      b: { solved: 1, runs: 2, at: '2026-01-01' },
    });
  });

  test('are none where nothing was measured', async () => {
    expect((await readMeasuredRates(join(folder(), 'none'))).size).toBe(0);
  });
});

/** Settings of a variant: those of the model's entry, and those of the configuration. */
test('keys of a profile go to the entry, all others to the configuration', () => {
  const set = {
    'solving.drafts': '2',
    'solving.attempts': '4',
    toolMode: 'text',
    'model.ladder': 'a,b',
    'options.temperature': '0',
  };
  expect(splitVariant(set)).toEqual({
    configuration: ['solving.attempts=4', 'model.ladder=a,b'],
    entry: { 'solving.drafts': '2', toolMode: 'text', 'options.temperature': '0' },
  });
});

describe('write profile', () => {
  const folder = tempFolders();
  const candidate = (
    solved: number,
    seconds: number,
    settings: Partial<EvaluationSettings>,
  ): ProfileCandidate => ({
    settings: {
      suite: '',
      models: ['m'],
      runs: 1,
      set: {},
      timeoutSeconds: 1,
      program: '',
      startedAt: '',
      ...settings,
    },
    summary: { model: 'm', solved: { mean: solved }, seconds: { mean: seconds } } as ModelSummary,
  });

  test('writes the settings that solved most, and leaves all else of the file as it is', async () => {
    const file = join(folder(), 'config/models.json');
    await mkdir(join(file, '..'));
    const own = { models: { other: { keepAlive: '1h' }, m: { keepAlive: '5m', solving: { repairs: 1 } } } };
    await writeFile(file, JSON.stringify(own));
    const written = await writeProfiles(
      [
        candidate(0.4, 10, { strategy: 'loop' }),
        candidate(0.6, 30, {
          strategy: 'drafts',
          set: { 'solving.drafts': '8', 'model.toolMode': 'structured' },
        }),
        candidate(0.6, 40, { strategy: 'auto' }),
      ],
      file,
    );
    expect(written).toMatchObject([{ model: 'm', solved: 0.6, candidates: 3 }]);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      models: {
        other: { keepAlive: '1h' },
        m: {
          keepAlive: '5m',
          toolMode: 'structured',
          solving: { repairs: 1, strategy: 'drafts', drafts: 8 },
        },
      },
    });
  });

  test('writes nothing where the defaults were best, and refuses what the catalogue would', async () => {
    const file = join(folder(), 'models.json');
    expect(await writeProfiles([candidate(0.5, 1, {})], file)).toMatchObject([{ keys: {} }]);
    expect(existsSync(file)).toBe(false);
    const wrong = candidate(1, 1, { set: { 'solving.drafts': 'many' } });
    await expect(writeProfiles([wrong], file)).rejects.toMatchObject({ code: 'catalog_invalid' });
    expect(existsSync(file)).toBe(false);
  });
});
