/** Trees that a workspace keeps and goes back to. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openFolderWorkspace } from '../../sidecar/workspace/folder-workspace.ts';
import type { PreparedWorkspace } from '../../sidecar/workspace/task-workspace.ts';
import { prepared } from './prepared.ts';
import { cleanUp, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

async function keep(workspace: PreparedWorkspace): Promise<string> {
  const kept = await workspace.keep();
  if (!kept.ok) throw new Error(kept.failure.message);
  return kept.value;
}

const base = {
  'a.txt': 'a\n',
  'dir/b.txt': 'b\n',
  'dir/deep/c.txt': 'c\n',
  'run.sh': '#!/bin/sh\n',
  'data.bin': Buffer.from([0, 255, 10, 13, 0]),
  '.gitignore': '*.log\n',
};

async function folderWorkspace(): Promise<PreparedWorkspace> {
  const dir = temporaryFolder();
  write(dir, base);
  const opened = await openFolderWorkspace(dir);
  if (!opened.ok) throw new Error(opened.failure.message);
  return opened.value;
}

describe.each([
  ['a worktree', () => prepared({ task_id: 't', repo: repository(base) })],
  ['a folder', folderWorkspace],
])('%s', (_kind, open) => {
  test('goes back to what it kept, whatever was changed since, and leaves ignored files', async () => {
    const workspace = await open();
    const { dir } = workspace;
    write(dir, { 'mine.txt': 'kept\n', 'x.log': 'ignored\n' });
    symlinkSync('a.txt', join(dir, 'link'));
    const kept = await keep(workspace);
    const before = await workspace.fingerprint();

    write(dir, {
      'a.txt': 'changed\n',
      'new/deep/d.txt': 'd\n',
      'data.bin': 'text\n',
      'mine.txt': 'other\n',
    });
    chmodSync(join(dir, 'run.sh'), 0o755);
    rmSync(join(dir, 'dir'), { recursive: true });
    write(dir, { dir: 'a file in place of a folder\n' });
    rmSync(join(dir, 'link'));
    mkdirSync(join(dir, 'link'));
    write(dir, { 'link/inside.txt': 'x\n' });
    await workspace.commit('in between');

    expect(await workspace.restore(kept)).toEqual({ ok: true, value: true });
    expect(await workspace.fingerprint()).toBe(before);
    expect(readFileSync(join(dir, 'dir/deep/c.txt'), 'utf8')).toBe('c\n');
    expect(readFileSync(join(dir, 'data.bin'))).toEqual(base['data.bin']);
    expect(readFileSync(join(dir, 'mine.txt'), 'utf8')).toBe('kept\n');
    expect(lstatSync(join(dir, 'link')).isSymbolicLink()).toBe(true);
    expect(statSync(join(dir, 'run.sh')).mode & 0o100).toBe(0);
    expect(existsSync(join(dir, 'new'))).toBe(false);
    expect(readFileSync(join(dir, 'x.log'), 'utf8')).toBe('ignored\n');
    const { files } = await workspace.commit('after');
    expect(files.map(({ path }) => path)).toEqual(['link', 'mine.txt']);
    expect(readdirSync(dir).filter((name) => name.includes('index'))).toEqual([]);
  });

  test('goes back and forth between several', async () => {
    const workspace = await open();
    const untouched = await keep(workspace);
    write(workspace.dir, { 'a.txt': 'one\n', 'one.txt': '1\n' });
    const first = await keep(workspace);
    await workspace.restore(untouched);
    expect((await workspace.commit('x')).files).toEqual([]);
    await workspace.restore(first);
    const { files } = await workspace.commit('x');
    expect(files.map(({ path }) => path)).toEqual(['a.txt', 'one.txt']);
  });

  test('a name that it never gave is a failure, and changes nothing', async () => {
    const workspace = await open();
    write(workspace.dir, { 'a.txt': 'mine\n' });
    for (const name of ['0'.repeat(40), '--all', '']) {
      expect(await workspace.restore(name)).toMatchObject({ ok: false, failure: { code: 'git_failed' } });
    }
    expect(readFileSync(join(workspace.dir, 'a.txt'), 'utf8')).toBe('mine\n');
  });
});

test('a worktree that is taken over after a crash has what the life before kept', async () => {
  const where = places();
  const task = { task_id: 't', repo: repository(base) };
  const first = await prepared(task, where);
  const untouched = await keep(first);
  write(first.dir, { 'a.txt': 'changed\n' });
  const second = await prepared(task, where);
  expect(second.adopted).toBe(true);
  expect(await second.restore(untouched)).toEqual({ ok: true, value: true });
  expect(readFileSync(join(second.dir, 'a.txt'), 'utf8')).toBe('a\n');
});
