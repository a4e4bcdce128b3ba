import { existsSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createScratch, openFolderWorkspace } from '../../sidecar/workspace/folder-workspace.ts';
import type { PreparedWorkspace } from '../../sidecar/workspace/task-workspace.ts';
import { cleanUp, git, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

async function opened(dir: string): Promise<PreparedWorkspace> {
  const outcome = await openFolderWorkspace(dir, { privateDir: join(temporaryFolder(), 'private') });
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

test.each([true, false])('a scratch folder is kept with all that is in it: %s', async (keepBranch) => {
  const [dir, gitDir] = [join(temporaryFolder(), 'work'), join(temporaryFolder(), 'git')];
  const outcome = await createScratch({ dir, gitDir });
  if (!outcome.ok) throw new Error(outcome.failure.message);
  write(dir, { 'half.txt': 'half\n' });
  await outcome.value.release({ keepBranch });
  expect([existsSync(join(dir, 'half.txt')), existsSync(gitDir)]).toEqual([keepBranch, keepBranch]);
});

describe("a caller's folder", () => {
  test('shows the git folders behind its own `.git`, where they point back', async () => {
    const lent = repository();
    const own = join(temporaryFolder(), 'own');
    git(lent, 'clone', '-q', '--shared', lent, own);
    expect((await opened(own)).gitDirs).toEqual([join(own, '.git'), join(lent, '.git/objects')]);
    const linked = join(temporaryFolder(), 'linked');
    git(lent, 'worktree', 'add', '-q', linked);
    expect((await opened(linked)).gitDirs).toEqual([join(lent, '.git/worktrees/linked'), join(lent, '.git')]);
    const planted = temporaryFolder();
    write(planted, { '.git': `gitdir: ${join(lent, '.git')}\n` });
    expect((await opened(planted)).gitDirs).toEqual([]);
    const link = temporaryFolder();
    symlinkSync(join(lent, '.git'), join(link, '.git'));
    expect((await opened(link)).gitDirs).toEqual([]);
  });

  test('that is no repository: its present content is the base', async () => {
    const dir = temporaryFolder();
    write(dir, { 'a.txt': 'one\n', 'node_modules/p/i.js': 'x' });
    const workspace = await opened(dir);
    expect((await workspace.commit('x')).files).toEqual([]);
    write(dir, { 'a.txt': 'two\n', 'b.txt': 'new\n' });
    const changes = await workspace.commit('x');
    expect(changes.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      'modified a.txt',
      'added b.txt',
    ]);
    expect(changes.base_commit).toBeUndefined();
    expect(readdirSync(dir).sort()).toEqual(['a.txt', 'b.txt', 'node_modules']);
  });

  test('that is a repository: its index, HEAD and commits are never touched', async () => {
    const dir = repository({ 'a.txt': 'one\n', 'b.txt': 'b\n', '.gitignore': '*.log\n' });
    write(dir, { 'a.txt': 'staged\n' });
    git(dir, 'add', 'a.txt');
    write(dir, { 'a.txt': 'edited\n', 'mine.txt': 'untracked\n', 'x.log': 'ignored' });
    const state = (): unknown => [
      readFileSync(join(dir, '.git', 'index')).toString('hex'),
      git(dir, 'rev-parse', 'HEAD'),
      git(dir, 'for-each-ref'),
      readdirSync(join(dir, '.git')).sort(),
      git(dir, 'count-objects'),
    ];
    const before = state();
    const workspace = await opened(dir);
    const fingerprint = await workspace.fingerprint();
    expect((await workspace.commit('x')).files).toEqual([]);
    write(dir, { 'a.txt': 'changed by the task\n', 'x.log': 'ignored still' });
    rmSync(join(dir, 'b.txt'));
    expect(await workspace.fingerprint()).not.toBe(fingerprint);
    const changes = await workspace.commit('x');
    expect(changes.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      'modified a.txt',
      'deleted b.txt',
    ]);
    expect(changes.patch).toContain('-edited\n+changed by the task\n');
    expect(await workspace.uncommittedFiles()).toEqual([]);
    expect(state()).toEqual(before);
    await workspace.release({ keepBranch: false });
    expect(existsSync(join(dir, 'a.txt'))).toBe(true);
  });

  test('that is clean names the commit it is at', async () => {
    const dir = repository();
    expect((await opened(dir)).baseCommit).toBe(git(dir, 'rev-parse', 'HEAD'));
    write(dir, { 'a.txt': 'dirty\n' });
    expect((await opened(dir)).baseCommit).toBeUndefined();
  });

  test('below the root of a repository: paths are relative to the folder', async () => {
    const dir = repository({ 'packages/app/a.txt': 'one\n', 'other.txt': 'x\n' });
    const workspace = await opened(join(dir, 'packages/app'));
    write(dir, { 'packages/app/a.txt': 'two\n', 'other.txt': 'not looked at\n' });
    expect((await workspace.commit('x')).files.map(({ path }) => path)).toEqual(['a.txt']);
  });

  test('in a linked worktree, and before the first commit', async () => {
    const repo = repository();
    const linked = join(temporaryFolder(), 'linked');
    git(repo, 'worktree', 'add', '-q', linked);
    const empty = temporaryFolder();
    git(empty, 'init', '-q');
    for (const dir of [linked, empty]) {
      const workspace = await opened(dir);
      write(dir, { 'new.txt': 'x\n' });
      expect((await workspace.commit('x')).files.map(({ path }) => path)).toEqual(['new.txt']);
    }
  });

  test('that does not exist is a failure', async () => {
    expect(await openFolderWorkspace('/nonexistent/folder')).toMatchObject({
      ok: false,
      failure: { code: 'workspace_folder_missing' },
    });
  });
});
