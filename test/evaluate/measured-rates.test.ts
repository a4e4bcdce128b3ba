/** What models were measured to solve, from the evaluations on this machine. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { measuredRates } from '../../sidecar/evaluate/measured-rates.ts';
import { evaluationRecord } from '../support/evaluation-record.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

function evaluation(root: string, name: string, solved: Record<string, boolean[]>, more: object = {}): void {
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
    ...more,
  };
  mkdirSync(join(root, name));
  writeFileSync(join(root, name, 'result.json'), JSON.stringify({ settings, records }));
}

test('are the newest of each model, of this program, that can be read', async () => {
  const root = folder();
  evaluation(root, '2026-01-01', { a: [false, false], b: [true, true] });
  evaluation(root, '2026-02-01', { a: [true, false] });
  evaluation(root, '2026-03-01', { b: [false, false] }, { harness: 'other program' });
  mkdirSync(join(root, '2026-04-01'));
  mkdirSync(join(root, '2026-05-01'));
  writeFileSync(join(root, '2026-05-01', 'result.json'), '{');
  const rates = await measuredRates(root);
  expect(Object.fromEntries(rates)).toEqual({
    a: { solved: 0.5, runs: 2, at: '2026-02-01' },
    b: { solved: 1, runs: 2, at: '2026-01-01' },
  });
});

test('are none where nothing was measured', async () => {
  expect((await measuredRates(join(folder(), 'none'))).size).toBe(0);
});
