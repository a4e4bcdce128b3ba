/** What a run keeps of code, prompts and answers is for its user only, whatever the umask allows. */
import { readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { commandLine, repair, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

const isOpen = (path: string): boolean => (statSync(path).mode & 0o077) !== 0;

/** Paths below `folder` that others could get at: what lies in a closed folder is closed. */
function open(folder: string): string[] {
  if (!isOpen(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))].filter((path) =>
    isOpen(path),
  );
}

test('folders are closed to others, and databases and sessions in them too', async () => {
  cli = await commandLine(repair);
  const repo = await cli.repository();
  const command = [process.execPath, resolve('dist/cli.js'), 'run', 'repair a.txt', '--repo', repo];
  const options = { env: cli.env, extendEnv: false, reject: false, cwd: cli.dir };
  const { exitCode } = await execa('sh', ['-c', 'umask 0; exec "$@"', 'sh', ...command], options);
  expect(exitCode).toBe(0);
  const data = join(cli.dir, '.local/share/ollama-sidecar');
  expect([cli.stateDir, data].flatMap(open)).toEqual([]);
  const files = [cli.stateDir, join(data, 'sessions')].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const kept = files.filter((path) => /\.(?:sqlite.*|jsonl|log|json|md)$/.test(path));
  expect(kept.map((path) => relative(cli.dir, path)).join('\n')).toMatch(/state\.sqlite[^]*requests\.jsonl/);
  expect(kept.filter((path) => isOpen(path))).toEqual([]);
});
