/** What git knows of the source in a task's trees: its names, and no work that nobody did. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { prepared } from './prepared.ts';
import { cleanUp, git, places, repository, write } from './repositories.ts';

afterAll(cleanUp);

test('branches, remote branches and tags of the source can be read in the worktree and where checks run', async () => {
  const repo = repository({ 'a.txt': 'a\n' });
  git(repo, 'tag', '-a', 'v1.0.0', '-m', 'v1');
  git(repo, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
  git(repo, 'branch', 'old/name');
  const shared = places();
  const first = await prepared({ task_id: 't1', repo }, shared);
  const refs = (dir: string) =>
    git(dir, 'for-each-ref', '--format=%(refname)', 'refs/heads/old', 'refs/remotes', 'refs/tags').split(
      '\n',
    );
  expect(refs(first.dir)).toEqual(['refs/heads/old/name', 'refs/remotes/origin/main', 'refs/tags/v1.0.0']);
  write(first.dir, { 'a.txt': 'work\n' });
  await first.commit('Work');
  const tree = await first.checkOut('commit');
  if (!tree.ok) throw new Error(tree.failure.message);
  expect(git(tree.value.dir, 'diff', '--name-only', 'origin/main...HEAD')).toBe('a.txt');
  expect(git(tree.value.dir, 'describe', '--tags')).toMatch(/^v1\.0\.0-1-g/);
  tree.value.release();

  git(repo, 'branch', '-D', 'old/name');
  git(repo, 'branch', 'old');
  const second = await prepared({ task_id: 't2', repo }, shared);
  expect(refs(second.dir)[0]).toBe('refs/heads/old');
});

test('what no branch or tag of the source reaches cannot be read: a stash, a file that was taken out again', async () => {
  const repo = repository({ 'a.txt': 'a\n' });
  write(repo, { 'a.txt': 'stashed\n', '.env': 'KEY=value\n' });
  const stash = git(repo, 'stash', 'create');
  const lost = [stash, git(repo, 'hash-object', '-w', '.env')];
  git(repo, 'checkout', '-q', 'a.txt');
  const shared = places();
  const workspace = await prepared({ task_id: 't1', repo }, shared);
  for (const id of lost) {
    expect(git(repo, 'cat-file', '-t', id)).toMatch(/^(?:commit|blob)$/);
    expect(() => git(workspace.dir, 'cat-file', '-t', id)).toThrow();
  }
  git(repo, 'branch', 'kept', stash);
  const next = await prepared({ task_id: 't2', repo }, shared);
  expect(git(next.dir, 'show', 'kept:a.txt')).toBe('stashed');
});

test('files that git would store with other line ends are no work, and one that is edited is', async () => {
  const repo = repository({ 'notes.txt': '' });
  writeFileSync(join(repo, 'notes.txt'), 'one\r\ntwo\r\n');
  writeFileSync(join(repo, 'run.bat'), 'a\r\nb\r\n');
  git(repo, 'add', '-A');
  git(repo, 'commit', '-qm', 'with CRLF');
  write(repo, { '.gitattributes': '*.txt text\n*.bat text eol=crlf\n' });
  git(repo, 'add', '-A');
  git(repo, 'commit', '-qm', 'attributes');
  const workspace = await prepared({ task_id: 't', repo });
  const before = await workspace.fingerprint();
  // As a command would that rewrites what it does not change.
  writeFileSync(join(workspace.dir, 'run.bat'), readFileSync(join(workspace.dir, 'run.bat')));
  expect(await workspace.fingerprint()).toBe(before);
  expect((await workspace.commit('Nothing')).files).toEqual([]);
  write(workspace.dir, { 'new.txt': 'x\n' });
  const { files, head_commit: head } = await workspace.commit('Work');
  expect(files.map(({ path }) => path)).toEqual(['new.txt']);
  expect(git(workspace.dir, 'diff', '--name-only', `${head}~1`, String(head))).toBe('new.txt');
  const tree = await workspace.checkOut('commit');
  expect(tree.ok && (await tree.value.uncommittedFiles())).toEqual([]);
  writeFileSync(join(workspace.dir, 'notes.txt'), 'one\r\nthree\r\n');
  const edited = await workspace.commit('More');
  expect(edited.files.map(({ path }) => path).sort()).toEqual(['new.txt', 'notes.txt']);
});
