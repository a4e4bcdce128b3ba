/**
 * From an assignment to the first byte for the model, in repositories of 100 to 100 000 files: with a mirror that is to be
 * made, and with one that is there.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CleanupStack } from '../sidecar/system/cleanup-stack.ts';
import { openAssignments, type Assigned } from './support/assignments.ts';
import { median, type Figure } from './support/measure.ts';
import { fillTree, PRICE_TASK } from './support/repositories.ts';

const CACHED_RUNS = 5;
const SIZES = [
  { files: 100, target: '< 500' },
  { files: 10_000, target: '< 1000' },
  { files: 100_000, target: '< 4000' },
];

export async function bench(): Promise<Figure[]> {
  const cleanup = new CleanupStack();
  try {
    const { dir, assign } = await openAssignments(cleanup);
    // Loads the model and the executor's modules.
    await assign(PRICE_TASK);
    const figures: Figure[] = [];
    for (const { files, target } of SIZES) {
      const payload = { ...PRICE_TASK, agentic: true, repo: committedTree(dir, files) };
      const first = await assign(payload);
      const cached: Assigned[] = [];
      for (let run = 0; run < CACHED_RUNS; run += 1) cached.push(await assign(payload));
      const name = `first answer, ${files.toLocaleString('en').replace(',', ' ')} files`;
      const middle = (part: keyof Assigned) => median(cached.map((one) => one[part]));
      figures.push(
        { name: `${name}, no mirror yet`, value: first.askedMs, unit: 'ms', target },
        { name: '  of it: mirror, worktree, environment', value: first.placedMs, unit: 'ms' },
        { name: `${name}, mirror there`, value: middle('askedMs'), unit: 'ms', target },
        { name: '  of it: worktree, environment', value: middle('placedMs'), unit: 'ms' },
      );
    }
    return figures;
  } finally {
    await cleanup.close();
  }
}

function committedTree(parent: string, files: number): string {
  const dir = join(parent, `tree-${files}`);
  mkdirSync(dir);
  fillTree(dir, files);
  execFileSync(
    'git',
    ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-q', '-m', 'x'],
    {
      cwd: dir,
    },
  );
  return dir;
}
