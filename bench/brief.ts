/** What a brief costs before the first call, in trees of 10 000 and 100 000 files. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolderFiles } from '../sidecar/solving/brief/folder-files.ts';
import { gatherBrief } from '../sidecar/solving/brief/gather-brief.ts';
import { median, type Figure } from './support/measure.ts';
import { commitAll, fillTree, PRICE_TASK } from './support/repositories.ts';

const RUNS = 3;
const SIZES = [
  { files: 10_000, target: '< 1000' },
  { files: 100_000, target: '< 5000' },
];

export async function bench(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { files, target } of SIZES) {
    const dir = mkdtempSync(join(tmpdir(), 'bench-brief-'));
    try {
      fillTree(dir, files);
      commitAll(dir);
      const times: number[] = [];
      for (let run = 0; run < RUNS; run += 1) times.push(await gather(dir));
      const count = files.toLocaleString('en').replace(',', ' ');
      figures.push({ name: `brief of ${count} files`, value: median(times), unit: 'ms', target });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  return figures;
}

async function gather(dir: string): Promise<number> {
  const startedMs = performance.now();
  const { isEmpty } = await gatherBrief({
    task: PRICE_TASK,
    files: openFolderFiles({ dir }),
    budgetTokens: 3_000,
  });
  if (isEmpty) throw new Error('the brief shows nothing');
  return performance.now() - startedMs;
}
