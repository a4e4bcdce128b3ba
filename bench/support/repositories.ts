/** Small git repositories for tasks to work in: `cat` of 2 KB is what a round does. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const FILES = 40;
const FILE_BYTES = 2048;

export interface BenchFolder {
  dir: string;
  remove(): void;
}

/** A folder that is removed by `remove`. */
export function createBenchFolder(): BenchFolder {
  const dir = mkdtempSync(join(tmpdir(), 'sidecar-bench-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }) };
}

/** A repository with one commit of `FILES` files of 2 KB, f1 to f40; their texts differ by `name`. */
export function createRepository(parent: string, name: string): string {
  const dir = join(parent, name);
  mkdirSync(dir);
  for (let i = 1; i <= FILES; i += 1) writeFileSync(join(dir, `f${i}`), fileText(`${name} ${i}`));
  commitAll(dir);
  return dir;
}

/** Makes `dir` a repository with all of its files in one commit. */
export function commitAll(dir: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], {
      stdio: 'ignore',
    });
  git('init', '-b', 'main');
  // Into one pack: a hundred thousand loose objects take minutes.
  git('-c', 'core.bigFileThreshold=1', 'add', '-A');
  git('commit', '-m', 'All files');
}

const FILES_PER_FOLDER = 50;

/** A task for `fillTree`. */
export const PRICE_TASK = {
  description: 'parsePrice() in packages/p7 rounds wrongly: `roundCents` is called twice. See total-42.js.',
};

/** Packages of files of about 2 KB that import one another. */
export function fillTree(dir: string, files: number): void {
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
}

/** Lines as source code has them. */
function fileText(title: string): string {
  let text = `// ${title}\n`;
  for (let line = 1; text.length < FILE_BYTES; line += 1)
    text += `export const value${line} = compute(${line * 7919}, "${title}");\n`;
  return `${text.slice(0, FILE_BYTES - 1)}\n`;
}
