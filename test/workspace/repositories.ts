/** Real repositories in temporary folders for the tests of this room; `cleanUp` removes them all. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const folders: string[] = [];

/** A temporary folder that `cleanUp` removes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sidecar-workspace-'));
  folders.push(folder);
  return folder;
}

export function cleanUp(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

const OWNER = ['-c', 'user.name=Owner', '-c', 'user.email=owner@localhost'];

/** Runs a program as a user would, with no configuration of the machine's. */
const run = (dir: string, file: string, args: readonly string[]): string =>
  execFileSync(file, args, {
    cwd: dir,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
    },
  }).trim();

export const git = (dir: string, ...args: string[]): string => run(dir, 'git', [...OWNER, ...args]);

/** Writes files below `dir`, folders included. */
export function write(dir: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
}

/** One shell: starting a process out of a large one takes longer than git does. */
const FIRST_COMMIT =
  'git init -q -b main --template= && git add -A && git "$@" commit -q --allow-empty -m first';

/** A repository with one commit on `main`. */
export function repository(files: Record<string, string | Buffer> = { 'a.txt': 'one\n' }): string {
  const dir = temporaryFolder();
  write(dir, files);
  run(dir, 'sh', ['-c', FIRST_COMMIT, 'sh', ...OWNER]);
  return dir;
}

/** Folders of one worker. */
export function places(): { cacheDir: string; worktreesDir: string } {
  const root = temporaryFolder();
  return { cacheDir: join(root, 'cache'), worktreesDir: join(root, 'worktrees') };
}
