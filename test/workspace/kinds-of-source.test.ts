/** Clones of all kinds as the repository of a task: they work, or are refused with what to do. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { prepared } from './prepared.ts';
import { cleanUp, git, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

/** A repository of three commits, and a clone of it made with these options. */
function cloned(...options: string[]): { origin: string; clone: string } {
  const origin = repository({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  for (const text of ['two\n', 'three\n']) {
    write(origin, { 'a.txt': text });
    git(origin, 'commit', '-qam', text.trim());
  }
  git(origin, 'config', 'uploadpack.allowFilter', 'true');
  git(origin, 'branch', 'old', 'HEAD~2');
  const clone = temporaryFolder();
  git(clone, 'clone', '-q', ...options, `file://${origin}`, '.');
  return { origin, clone };
}

/** A whole task on it: what is published is what the task did, on top of what was there. */
async function works(clone: string, task: object = {}): Promise<void> {
  const workspace = await prepared({ task_id: 't', repo: clone, ...task });
  expect(readFileSync(join(workspace.dir, 'b.txt'), 'utf8')).toBe('b\n');
  write(workspace.dir, { 'b.txt': 'changed\n', 'c.txt': 'new\n' });
  const changes = await workspace.commit('Do it');
  expect(changes.files.map(({ path }) => path)).toEqual(['b.txt', 'c.txt']);
  expect(await workspace.publish()).toMatchObject({ ok: true, value: { where: 'source' } });
  await workspace.release({ keepBranch: true });
  git(clone, 'merge', '-q', 'sidecar/t');
  expect(readFileSync(join(clone, 'c.txt'), 'utf8')).toBe('new\n');
  git(clone, 'fsck', '--connectivity-only');
}

describe('a task on', () => {
  test.each([
    ['a shallow clone', ['--depth=1']],
    ['a clone without the content of old files', ['--filter=blob:none']],
    ['a clone without old folders', ['--filter=tree:0']],
    ['a clone of one branch', ['--single-branch']],
    ['a clone that borrows objects', ['--shared']],
    ['a clone with a separate git dir', [`--separate-git-dir=${join(temporaryFolder(), 'elsewhere.git')}`]],
  ])('%s works', async (_name, options) => {
    const { clone } = cloned(...options);
    await works(clone);
  });

  test('a linked worktree works', async () => {
    const { clone } = cloned();
    const linked = join(temporaryFolder(), 'linked');
    git(clone, 'worktree', 'add', '-q', linked);
    await works(linked);
  });

  test('a repository with SHA-256 names works', async () => {
    const repo = temporaryFolder();
    git(repo, 'init', '-q', '--object-format=sha256', '-b', 'main');
    write(repo, { 'b.txt': 'b\n' });
    git(repo, 'add', '-A');
    git(repo, 'commit', '-qm', 'first');
    await works(repo);
  });

  test('a shallow clone that got its history since works on', async () => {
    const { clone } = cloned('--depth=1');
    const shared = places();
    const first = await prepared({ task_id: 'one', repo: clone }, shared);
    await first.release({ keepBranch: false });
    git(clone, 'fetch', '-q', '--unshallow');
    const second = await prepared({ task_id: 'two', repo: clone }, shared);
    expect(git(second.dir, 'log', '--format=%s')).toBe('three\ntwo\nfirst');
  });

  test('a part of a partial clone that is not there is refused with what to do', async () => {
    const { clone } = cloned('--filter=blob:none');
    const outcome = await prepareWorkspace({
      ...places(),
      task: { task_id: 't', repo: clone, branch: 'old' },
    });
    expect(outcome).toMatchObject({
      ok: false,
      failure: {
        code: 'workspace_repo_incomplete',
        message: expect.stringContaining('Check that commit out there once'),
      },
    });
    git(clone, 'checkout', '-q', 'old');
    await works(clone, { branch: 'old' });
  });
});

describe('work that is not part of a commit', () => {
  test('in the folder of a submodule is named in the changes', async () => {
    const inner = repository({ 'inner.txt': 'inside\n' });
    const repo = repository();
    git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'libs/inner');
    git(repo, 'commit', '-qm', 'with a submodule');
    const workspace = await prepared({ task_id: 't', repo });
    write(workspace.dir, { 'a.txt': 'two\n', 'libs/inner/new.txt': 'lost otherwise\n' });
    const changes = await workspace.commit('x');
    expect(changes.files.map(({ path }) => path)).toEqual(['a.txt']);
    expect(changes.patch_omitted).toBe(
      'left out: libs/inner/new.txt (in a submodule: give a task for the repository that it belongs to)',
    );
  });
});

describe('files in Git LFS', () => {
  test('are pointers, which a task is told, and stay as they are', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;
    const repo = repository({
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'a.txt': 'one\n',
    });
    // As a commit of git-lfs is: the pointer is the content.
    write(repo, { 'big.bin': pointer });
    git(repo, '-c', 'filter.lfs.clean=cat', 'add', '-A');
    git(repo, 'commit', '-qm', 'with a pointer');
    const workspace = await prepared({ task_id: 't', repo });
    expect(workspace.notes).toEqual([
      'files in Git LFS are pointers here, without their content, and cannot be written: big.bin',
    ]);
    expect(readFileSync(join(workspace.dir, 'big.bin'), 'utf8')).toBe(pointer);
    write(workspace.dir, { 'a.txt': 'two\n' });
    expect((await workspace.commit('x')).files.map(({ path }) => path)).toEqual(['a.txt']);
    expect(existsSync(join(repo, 'big.bin'))).toBe(true);
  });
});

test('a branch that its owner has checked out is not moved under them', async () => {
  const repo = repository();
  const shared = places();
  const work = async (text: string): Promise<unknown> => {
    const workspace = await prepared({ task_id: 't', repo }, { ...shared, fresh: true });
    write(workspace.dir, { 'b.txt': text });
    await workspace.commit(text);
    const published = await workspace.publish();
    await workspace.release({ keepBranch: true });
    return published;
  };
  expect(await work('1\n')).toMatchObject({ ok: true });
  expect(await work('2\n')).toMatchObject({ ok: true });
  git(repo, 'checkout', '-q', 'sidecar/t');
  const before = git(repo, 'rev-parse', 'HEAD');
  expect(await work('3\n')).toMatchObject({
    ok: false,
    failure: { code: 'workspace_publish_failed', message: expect.stringContaining('is checked out at') },
  });
  expect(git(repo, 'rev-parse', 'HEAD')).toBe(before);
});

test('a bare repository is found without its `.git`, which the public hub takes off', async () => {
  const root = temporaryFolder();
  git(root, 'clone', '-q', '--bare', repository({ 'a.txt': 'one\n' }), 'shop.git');
  const { dir } = await prepared({ task_id: 't', repo: join(root, 'shop') });
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('one\n');
  expect(
    await prepareWorkspace({ ...places(), task: { task_id: 't', repo: join(root, 'other') } }),
  ).toMatchObject({
    failure: { code: 'workspace_repo_missing' },
  });
});
