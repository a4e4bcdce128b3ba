/**
 * Runs a piece of the program in a process of its own, so that it can really be killed. The TypeScript entry
 * is bundled first (about 50 ms); native packages come from this repository's node_modules.
 */
import { afterEach } from '@jest/globals';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { join, resolve } from 'node:path';

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts `source` (TypeScript; imports are relative to the repository root). Output goes to pipes. */
export function startProgram(source: string, folder: string, args: string[] = []): ChildProcess {
  const outfile = join(folder, `program-${process.hrtime.bigint()}.cjs`);
  const options = [
    '--bundle',
    '--platform=node',
    '--format=cjs',
    '--external:better-sqlite3',
    '--loader=ts',
    '--log-level=error',
  ];
  execFileSync('node_modules/esbuild/bin/esbuild', [...options, `--outfile=${outfile}`], {
    input: source,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const child = spawn(process.execPath, [outfile, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_PATH: resolve('node_modules') },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** The first output that contains `text`; rejects when the program ends before. */
export function outputOf(child: ChildProcess, text: string): Promise<string> {
  return new Promise((fulfil, reject) => {
    let seen = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      if (seen.includes(text)) fulfil(seen);
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code} after ${JSON.stringify(seen)}`)));
  });
}

export function exitOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((fulfil) => {
    child.once('exit', (code, signal) => fulfil({ code, signal }));
  });
}
