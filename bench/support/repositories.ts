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
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], {
      stdio: 'ignore',
    });
  git('init', '-b', 'main');
  git('add', '-A');
  git('commit', '-m', 'Files to read');
  return dir;
}

/** Lines as source code has them. */
function fileText(title: string): string {
  let text = `// ${title}\n`;
  for (let line = 1; text.length < FILE_BYTES; line += 1)
    text += `export const value${line} = compute(${line * 7919}, "${title}");\n`;
  return `${text.slice(0, FILE_BYTES - 1)}\n`;
}
