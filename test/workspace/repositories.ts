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

/** Runs git as a user would, with no configuration of the machine's. */
export function git(dir: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=Owner', '-c', 'user.email=owner@localhost', ...args], {
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
}

/** Writes files below `dir`, folders included. */
export function write(dir: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
}

/** A repository with one commit on `main`. */
export function repository(files: Record<string, string | Buffer> = { 'a.txt': 'one\n' }): string {
  const dir = temporaryFolder();
  git(dir, 'init', '-q', '-b', 'main');
  write(dir, files);
  git(dir, 'add', '-A');
  git(dir, 'commit', '-q', '--allow-empty', '-m', 'first');
  return dir;
}

/** Folders of one worker. */
export function places(): { cacheDir: string; worktreesDir: string } {
  const root = temporaryFolder();
  return { cacheDir: join(root, 'cache'), worktreesDir: join(root, 'worktrees') };
}
