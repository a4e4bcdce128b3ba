/** The tree in which only checks run. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { CheckedState, CheckTree } from '../../sidecar/workspace/check-tree.ts';
import type { PreparedWorkspace } from '../../sidecar/workspace/task-workspace.ts';
import { prepared } from './prepared.ts';
import { cleanUp, git, repository, write } from './repositories.ts';

afterAll(cleanUp);

async function checkedOut(workspace: PreparedWorkspace, state: CheckedState): Promise<CheckTree> {
  const tree = await workspace.checkOut(state);
  if (!tree.ok) throw new Error(tree.failure.message);
  return tree.value;
}

const FILES = { 'a.txt': 'a\n', 'test/t.txt': 'as the base has it\n', '.gitignore': '*.log\nlib/\n' };

test('holds the state that is asked for, and nothing that git does not know', async () => {
  const workspace = await prepared({ task_id: 't', repo: repository(FILES) });
  const read = (tree: CheckTree, path: string) => readFileSync(join(tree.dir, path), 'utf8');
  write(workspace.dir, { 'a.txt': 'work\n', 'test/t.txt': 'work\n', 'lib/x.py': 'ignored\n' });
  const { head_commit: head } = await workspace.commit('Work');
  write(workspace.dir, { 'a.txt': 'later\n' });
  for (const [state, texts] of [
    ['base', ['a\n', 'as the base has it\n']],
    ['commit', ['work\n', 'work\n']],
    ['present', ['later\n', 'work\n']],
    [{ withBase: ['test/t.txt'] }, ['work\n', 'as the base has it\n']],
  ] satisfies [CheckedState, string[]][]) {
    const tree = await checkedOut(workspace, state);
    expect([state, ['a.txt', 'test/t.txt'].map((path) => read(tree, path))]).toEqual([state, texts]);
    expect(existsSync(join(tree.dir, 'lib'))).toBe(false);
    expect(git(tree.dir, 'status', '--porcelain')).toBe('');
    if (state === 'commit') expect(git(tree.dir, 'rev-parse', 'HEAD')).toBe(head);
    tree.release();
  }
});

test('is put back before each run, whatever the last one wrote', async () => {
  const workspace = await prepared({ task_id: 't', repo: repository(FILES) });
  const first = await checkedOut(workspace, 'base');
  write(first.dir, { 'a.txt': 'by a check\n', 'new.txt': 'x', 'x.log': 'x', 'lib/y': 'x' });
  mkdirSync(join(first.dir, 'nested'));
  git(join(first.dir, 'nested'), 'init', '-q');
  writeFileSync(join(first.cacheDir, 'cached'), 'x');
  expect((await first.uncommittedFiles()).sort()).toEqual(['a.txt', 'new.txt']);
  first.release();
  const second = await checkedOut(workspace, 'commit');
  expect(git(second.dir, 'status', '--porcelain', '--ignored')).toBe('');
  expect([existsSync(join(second.dir, 'nested')), existsSync(join(second.cacheDir, 'cached'))]).toEqual([
    false,
    false,
  ]);
  expect(await workspace.uncommittedFiles()).toEqual([]);
  second.release();
});

test('one run has it at a time, and it goes with the workspace', async () => {
  const workspace = await prepared({ task_id: 't', repo: repository(FILES) });
  const first = await checkedOut(workspace, 'base');
  let isOver = false;
  const second = checkedOut(workspace, 'present').then((tree) => ({ tree, wasOver: isOver }));
  isOver = true;
  first.release();
  const { tree, wasOver } = await second;
  expect(wasOver).toBe(true);
  tree.release();
  await workspace.release({ keepBranch: false });
  expect(existsSync(tree.dir)).toBe(false);
});

test('a change that is tried is a commit there, and goes with the next run; what tools cached stays until the last one', async () => {
  const workspace = await prepared({ task_id: 't', repo: repository(FILES) });
  write(workspace.dir, { 'a.txt': 'work\n' });
  const trial = await checkedOut(workspace, 'present');
  write(trial.dir, { 'a.txt': 'tried\n', 'new.txt': 'tried\n', 'x.log': 'ignored\n' });
  expect(await trial.commit()).toMatchObject({ ok: true });
  expect(git(trial.dir, 'status', '--porcelain')).toBe('');
  expect(git(trial.dir, 'log', '--format=%s')).toBe('Work to be checked\nWork to be checked\nfirst');
  expect(await trial.uncommittedFiles()).toEqual([]);
  writeFileSync(join(trial.cacheDir, 'cached'), 'x');
  trial.release();
  for (const [state, isKept] of [
    ['present', true],
    ['commit', false],
  ] satisfies [CheckedState, boolean][]) {
    const tree = await checkedOut(workspace, state);
    expect(existsSync(join(tree.dir, 'new.txt'))).toBe(false);
    expect(existsSync(join(tree.cacheDir, 'cached'))).toBe(isKept);
    tree.release();
  }
});

test('who waits for it goes when the task is stopped', async () => {
  const workspace = await prepared({ task_id: 't', repo: repository(FILES) });
  const first = await checkedOut(workspace, 'base');
  const stop = new AbortController();
  const waiting = workspace.checkOut('base', stop.signal);
  stop.abort();
  expect(await waiting).toMatchObject({ failure: { code: 'aborted' } });
  first.release();
  (await checkedOut(workspace, 'base')).release();
});
