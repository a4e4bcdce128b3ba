/** Scratch trees beside a workspace. */
import { existsSync, lstatSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { LocalExecutionEnvironment } from '../../sidecar/environment/local-environment.ts';
import { provideDependencies } from '../../sidecar/workspace/prepare-commands.ts';
import { openFolderWorkspace } from '../../sidecar/workspace/folder-workspace.ts';
import type { Fork, PreparedWorkspace } from '../../sidecar/workspace/task-workspace.ts';
import { describeWith } from '../support/requirements.ts';
import { prepared } from './prepared.ts';
import { cleanUp, git, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

async function forked(workspace: PreparedWorkspace): Promise<Fork> {
  const fork = await workspace.fork();
  if (!fork.ok) throw new Error(fork.failure.message);
  return fork.value;
}

const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/^\.git(\/|$)/.test(path) && !lstatSync(join(dir, path)).isDirectory())
    .sort();

describe('a fork of a worktree', () => {
  test('has its files as they are now, without ignored ones', async () => {
    const repo = repository({
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'run.sh': '#!/bin/sh\n',
      '.gitignore': '*.log\n',
    });
    const workspace = await prepared({ task_id: 't', repo });
    write(workspace.dir, { 'a.txt': 'edited\n', 'new/c.txt': 'untracked\n', 'x.log': 'ignored\n' });
    rmSync(join(workspace.dir, 'b.txt'));
    symlinkSync('/etc/hostname', join(workspace.dir, 'link'));
    const fork = await forked(workspace);
    expect(filesIn(fork.dir)).toEqual(['.gitignore', 'a.txt', 'link', 'new/c.txt', 'run.sh']);
    expect(readFileSync(join(fork.dir, 'a.txt'), 'utf8')).toBe('edited\n');
    expect(lstatSync(join(fork.dir, 'link')).isSymbolicLink()).toBe(true);
    expect(git(fork.dir, 'status', '--porcelain', '--branch')).toBe('## HEAD (no branch)');
    await fork.release();
    await fork.release();
    expect(existsSync(fork.dir)).toBe(false);
  });

  test('shares no file with any other tree', async () => {
    const workspace = await prepared({
      task_id: 't',
      repo: repository({ 'a.txt': 'a\n', 'd/b.txt': 'b\n' }),
    });
    const before = await workspace.fingerprint();
    const forks = await Promise.all([1, 2, 3].map(() => forked(workspace)));
    expect(new Set(forks.map(({ dir }) => dir)).size).toBe(3);
    for (const [at, fork] of forks.entries()) {
      write(fork.dir, { 'a.txt': `fork ${at}\n`, 'only.txt': 'x' });
      rmSync(join(fork.dir, 'd'), { recursive: true });
      expect(statSync(join(fork.dir, 'a.txt')).nlink).toBe(1);
    }
    expect(forks.map(({ dir }) => readFileSync(join(dir, 'a.txt'), 'utf8'))).toEqual([
      'fork 0\n',
      'fork 1\n',
      'fork 2\n',
    ]);
    expect(await workspace.fingerprint()).toBe(before);
    expect((await workspace.commit('x')).files).toEqual([]);
    const cache = workspace.gitDirs[0]!;
    expect(readdirSync(join(cache, 'worktrees'))).toHaveLength(4);
    await Promise.all(forks.map((fork) => fork.release()));
    expect(readdirSync(join(cache, 'worktrees'))).toHaveLength(1);
  });

  test('goes with its workspace, and with the life of a worker that was killed', async () => {
    const where = places();
    const task = { task_id: 't', repo: repository() };
    const workspace = await prepared(task, where);
    const left = await forked(workspace);
    const again = await prepared(task, where);
    expect(again.adopted).toBe(true);
    expect(existsSync(left.dir)).toBe(false);
    const second = await forked(again);
    await again.release({ keepBranch: false });
    expect(existsSync(second.dir)).toBe(false);
    expect(readdirSync(join(workspace.gitDirs[0]!, 'worktrees'))).toEqual([]);
  });

  test('that is stopped leaves nothing behind', async () => {
    const workspace = await prepared({ task_id: 't', repo: repository() });
    const fork = await forked(workspace);
    expect(await workspace.fork({ signal: AbortSignal.abort() })).toMatchObject({
      failure: { code: 'aborted' },
    });
    expect(readdirSync(dirname(fork.dir))).toHaveLength(1);
  });
});

test('a fork of a scratch folder and of a folder of the caller has the files alone', async () => {
  const scratch = await prepared({ task_id: 'no-repo' });
  write(scratch.dir, { 'notes/a.md': 'text\n' });
  const dir = repository();
  write(dir, { 'a.txt': 'edited\n', 'new.txt': 'x\n' });
  const opened = await openFolderWorkspace(dir, { privateDir: join(temporaryFolder(), 'private') });
  if (!opened.ok) throw new Error(opened.failure.message);
  write(dir, { 'late.txt': 'y\n' });
  const forks = [await forked(scratch), await forked(opened.value)];
  expect(forks.map((fork) => filesIn(fork.dir))).toEqual([['notes/a.md'], ['a.txt', 'late.txt', 'new.txt']]);
  write(forks[1]!.dir, { 'a.txt': 'in the fork\n' });
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('edited\n');
  for (const fork of forks) await fork.release();
  expect(forks.map((fork) => existsSync(fork.dir))).toEqual([false, false]);
});

describeWith('bubblewrap', 'in a fork', () => {
  test('commands run, with git and the dependencies of the source', async () => {
    const repo = repository({ '.gitignore': 'node_modules\n', 'a.txt': 'a\n' });
    write(repo, { 'node_modules/left-pad/index.js': 'module.exports = 1' });
    const workspace = await prepared({ task_id: 't', repo });
    write(workspace.dir, { 'a.txt': 'edited\n' });
    const fork = await forked(workspace);
    const shared = await provideDependencies({
      workspace: { ...workspace, ...fork },
      share: 'auto',
      prepare: [],
      cacheDir: temporaryFolder(),
      sandboxed: true,
      openEnvironment: () => new LocalExecutionEnvironment({ workspace: fork.dir }),
    });
    if (!shared.ok) throw new Error(shared.failure.message);
    const env = new LocalExecutionEnvironment({
      workspace: fork.dir,
      sandbox: 'required',
      gitDirs: fork.gitDirs,
      sharedFolders: shared.value.sharedFolders,
    });
    try {
      const { output } = await env.execCommand(
        'node -p "require(\'left-pad\')"; cat a.txt; echo draft > a.txt; git diff --stat; git log --oneline | wc -l',
      );
      expect(output).toMatch(/^1\nedited\n a\.txt \| 2 \+-\n 1 file changed.*\n2\n$/s);
      expect(readFileSync(join(workspace.dir, 'a.txt'), 'utf8')).toBe('edited\n');
    } finally {
      await env.cleanup();
      await fork.release();
    }
  });
});
