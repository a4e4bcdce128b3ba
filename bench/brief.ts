/** What a brief costs before the first call, in trees of 10 000 and 100 000 files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderFiles } from '../sidecar/brief/folder-files.ts';
import { gatherBrief } from '../sidecar/brief/gather-brief.ts';
import { median, type Figure } from './support/measure.ts';

const RUNS = 3;
const FILES_PER_FOLDER = 50;
const SIZES = [
  { files: 10_000, target: '< 1000' },
  { files: 100_000, target: '< 5000' },
];
const TASK = {
  description: 'parsePrice() in packages/p7 rounds wrongly: `roundCents` is called twice. See total-42.js.',
};

export async function bench(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { files, target } of SIZES) {
    const dir = mkdtempSync(join(tmpdir(), 'bench-brief-'));
    try {
      makeTree(dir, files);
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
    task: TASK,
    files: folderFiles({ dir }),
    budgetTokens: 3_000,
  });
  if (isEmpty) throw new Error('the brief shows nothing');
  return performance.now() - startedMs;
}

/** Packages of files of about 2 KB that import one another. */
function makeTree(dir: string, files: number): void {
  const filler = '  // what this line says is of no concern to anybody who reads it\n'.repeat(25);
  for (let index = 0; index < files; index += 1) {
    const folder = join(dir, 'packages', `p${Math.floor(index / FILES_PER_FOLDER)}`);
    if (index % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    const name = index % FILES_PER_FOLDER;
    const text = `import { total${name} } from './total-${(name + 1) % FILES_PER_FOLDER}.js';\nexport function work${index}(items) {\n${filler}  return total${name}(items, ${index});\n}\n`;
    const own =
      index === 360
        ? 'export const roundCents = (cents) => Math.round(cents);\nexport function parsePrice(text) {\n  return roundCents(roundCents(text));\n}\n'
        : '';
    writeFileSync(join(folder, `total-${name}.js`), own + text);
  }
  execFileSync('git', ['init', '-q'], { cwd: dir });
  execFileSync('git', ['add', '-A'], { cwd: dir });
}
