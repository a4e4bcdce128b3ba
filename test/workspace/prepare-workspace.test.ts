import { chownSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import type { PrepareOptions } from '../../sidecar/workspace/prepare-workspace.ts';
import type { PreparedWorkspace } from '../../sidecar/workspace/task-workspace.ts';
import { prepared, treeIdOf } from './prepared.ts';
import { cleanUp, git, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

async function failure(task: PrepareOptions['task'], more: Partial<PrepareOptions> = {}): Promise<string> {
  const outcome = await prepareWorkspace({ ...places(), ...more, task });
  if (outcome.ok) throw new Error('expected a failure');
  return `${outcome.failure.code}: ${outcome.failure.message}`;
}

describe('a worktree of a local repository', () => {
  test('holds the default branch on a branch of the task', async () => {
    const repo = repository();
    const workspace = await prepared({ task_id: 'task-1', repo });
    expect(readFileSync(join(workspace.dir, 'a.txt'), 'utf8')).toBe('one\n');
    expect(workspace).toMatchObject({
      repo,
      branch: 'sidecar/task-1',
      baseCommit: git(repo, 'rev-parse', 'HEAD'),
    });
    expect(await workspace.sourceDirty).toBe(false);
    expect(git(workspace.dir, 'status', '--porcelain', '--branch')).toBe('## sidecar/task-1');
  });

  test('begins at the branch, tag or commit that is asked for', async () => {
    const repo = repository();
    const first = git(repo, 'rev-parse', 'HEAD');
    git(repo, 'tag', '-m', 'a tag', 'v1');
    write(repo, { 'a.txt': 'two\n' });
    git(repo, 'commit', '-qam', 'second');
    git(repo, 'branch', 'feature/x', 'HEAD');
    const second = git(repo, 'rev-parse', 'HEAD');
    const shared = places();
    const base = async (task: object): Promise<string | undefined> =>
      (await prepared({ task_id: 't', repo, ...task }, { ...shared, discardsEarlier: true })).baseCommit;
    expect(await base({ branch: 'feature/x' })).toBe(second);
    expect(await base({ base_ref: 'v1' })).toBe(first);
    expect(await base({ base_ref: first })).toBe(first);
    expect(await base({ branch: 'feature/x', base_ref: first })).toBe(first);
    git(repo, 'update-ref', 'refs/remotes/origin/y', second);
    git(repo, 'update-ref', 'refs/remotes/fork/z', second);
    for (const name of ['v1', first, first.slice(0, 9), 'HEAD~1', '@^', 'origin/y~1', 'feature/x^', 'v1^0'])
      expect([name, await base({ branch: name })]).toEqual([name, first]);
    for (const name of ['origin/y', 'fork/z', 'HEAD', second.slice(0, 7)])
      expect([name, await base({ branch: name })]).toEqual([name, second]);
  });

  // Only root can give a folder to another user.
  (process.geteuid?.() === 0 ? test : test.skip)(
    'of another user, which git does not read, is refused with the command that allows it',
    async () => {
      const repo = repository();
      chownSync(join(repo, '.git'), 12_345, 12_345);
      chownSync(repo, 12_345, 12_345);
      expect(await failure({ task_id: 't', repo })).toMatch(
        /^workspace_repo_owner: .*`git config --global --add safe\.directory \S+`/u,
      );
    },
  );

  test('a commit that was made since the cache was is in it, also after the source was packed', async () => {
    const repo = repository();
    const shared = places();
    const next = async (id: string): Promise<PreparedWorkspace> => {
      write(repo, { 'a.txt': `${id}\n` });
      git(repo, 'commit', '-qam', id);
      const workspace = await prepared({ task_id: id, repo }, shared);
      expect(readFileSync(join(workspace.dir, 'a.txt'), 'utf8')).toBe(`${id}\n`);
      return workspace;
    };
    await next('first');
    await next('second');
    git(repo, 'gc', '-q');
    await next('third');
    git(repo, 'repack', '-qad');
    const last = await next('fourth');
    expect(git(last.dir, 'fsck', '--full', '--strict')).toBe('');
    expect(git(last.dir, 'log', '--format=%s')).toBe('fourth\nthird\nsecond\nfirst\nfirst');
  });

  test('one that is stopped while it is made leaves nothing behind', async () => {
    const stop = new AbortController();
    const shared = places();
    const { signal } = stop;
    const task = { task_id: 't', repo: repository() };
    const told = await failure(task, { ...shared, signal, onCheckout: () => stop.abort() });
    expect(told).toMatch(/^aborted: /u);
    expect(readdirSync(shared.worktreesDir)).toEqual([]);
  });

  test('uncommitted edits of the source are not part of it, and it says so', async () => {
    const repo = repository();
    write(repo, { 'a.txt': 'edited\n' });
    const workspace = await prepared({ task_id: 't', repo });
    expect(await workspace.sourceDirty).toBe(true);
    expect(readFileSync(join(workspace.dir, 'a.txt'), 'utf8')).toBe('one\n');
  });

  test('changes are committed by the worker and told with a patch that applies', async () => {
    const repo = repository({
      'a.txt': 'one\n',
      'b.txt': 'b\n',
      'c.txt': 'a long enough text to be found again\n',
    });
    const workspace = await prepared({ task_id: 't', repo });
    write(workspace.dir, { 'a.txt': 'one\ntwo\n', 'dir/new.bin': Buffer.from([0, 1, 2, 255]) });
    rmSync(join(workspace.dir, 'b.txt'));
    git(workspace.dir, 'mv', 'c.txt', 'd.txt');
    const changes = await workspace.commit('Do it');
    expect(changes).toMatchObject({
      base_commit: workspace.baseCommit,
      branch: 'sidecar/t',
      files: [
        { path: 'a.txt', status: 'modified', additions: 1, deletions: 0 },
        { path: 'b.txt', status: 'deleted', additions: 0, deletions: 1 },
        { path: 'd.txt', status: 'renamed', additions: 0, deletions: 0 },
        { path: 'dir/new.bin', status: 'added', additions: 0, deletions: 0 },
      ],
    });
    const copy = temporaryFolder();
    git(copy, 'clone', '-q', repo, '.');
    writeFileSync(join(copy, 'the.patch'), changes.patch);
    git(copy, 'apply', '--index', 'the.patch');
    expect(git(copy, 'write-tree')).toBe(git(workspace.dir, 'rev-parse', `${changes.head_commit}^{tree}`));
    expect(git(workspace.dir, 'log', '-1', '--format=%an %s')).toBe('ollama-sidecar Do it');
    expect(git(workspace.dir, 'status', '--porcelain')).toBe('');
  });

  test('no change is no commit, and a second commit goes on top of the first', async () => {
    const workspace = await prepared({ task_id: 't', repo: repository() });
    const none = await workspace.commit('nothing');
    expect(none).toMatchObject({ head_commit: workspace.baseCommit, files: [], patch: '' });
    write(workspace.dir, { 'b.txt': 'b\n' });
    const first = await workspace.commit('one');
    expect(await workspace.commit('again')).toEqual(first);
    write(workspace.dir, { 'c.txt': 'c\n' });
    const second = await workspace.commit('two');
    expect(second.files.map(({ path }) => path)).toEqual(['b.txt', 'c.txt']);
    expect(git(workspace.dir, 'rev-list', '--count', 'HEAD')).toBe('3');
  });

  test('a change in the second of the checkout, of the same size, is seen in later seconds too', async () => {
    const workspace = await prepared({ task_id: 't', repo: repository() });
    write(workspace.dir, { 'a.txt': 'two\n' });
    // What matters is that the clock's second is another one when the commit is made.
    await new Promise((resolve) => {
      setTimeout(resolve, 1010 - (Date.now() % 1000));
    });
    expect((await workspace.commit('x')).files.map(({ path }) => path)).toEqual(['a.txt']);
    write(workspace.dir, { 'a.txt': 'six\n' });
    expect(await workspace.listUncommittedFiles()).toEqual(['a.txt']);
    expect(git(workspace.dir, 'status', '--porcelain')).toBe('M a.txt');
  });

  test('the tree id follows content, not times, and not ignored files', async () => {
    const workspace = await prepared({
      task_id: 't',
      repo: repository({ 'a.txt': 'one\n', '.gitignore': '*.log\n' }),
    });
    const before = await treeIdOf(workspace);
    utimesSync(join(workspace.dir, 'a.txt'), 1, 1);
    write(workspace.dir, { 'x.log': 'ignored', 'node_modules/p/index.js': 'ignored too' });
    expect(await treeIdOf(workspace)).toBe(before);
    write(workspace.dir, { 'a.txt': 'two\n' });
    const tracked = await treeIdOf(workspace);
    expect(tracked).not.toBe(before);
    write(workspace.dir, { 'new.txt': '1' });
    const untracked = await treeIdOf(workspace);
    expect(untracked).not.toBe(tracked);
    write(workspace.dir, { 'new.txt': '2' });
    expect(await treeIdOf(workspace)).not.toBe(untracked);
    write(workspace.dir, { 'new.txt': '1' });
    await workspace.commit('a commit changes no content');
    expect(await treeIdOf(workspace)).toBe(untracked);
    write(workspace.dir, { 'a.txt': 'one\n' });
    rmSync(join(workspace.dir, 'new.txt'));
    expect(await treeIdOf(workspace)).toBe(before);
  });

  test('the branch is put into the source so that its owner can merge it', async () => {
    const repo = repository();
    const workspace = await prepared({ task_id: 'merge-me', repo });
    write(workspace.dir, { 'b.txt': 'b\n' });
    const { head_commit: head } = await workspace.commit('Add b');
    expect(await workspace.publish()).toEqual({
      ok: true,
      value: { branch: 'sidecar/merge-me', commit: head, where: 'source' },
    });
    await workspace.release({ keepBranch: true });
    expect(existsSync(workspace.dir)).toBe(false);
    git(repo, 'merge', '-q', 'sidecar/merge-me');
    expect(existsSync(join(repo, 'b.txt'))).toBe(true);
  });

  test('a branch `sidecar` in the way is named, and the result says that the work is on no branch', async () => {
    const repo = repository();
    git(repo, 'branch', 'sidecar');
    const workspace = await prepared({ task_id: 't', repo });
    write(workspace.dir, { 'b.txt': 'b\n' });
    await workspace.commit('Add b');
    const message = `Could not publish sidecar/t in ${repo}: the branch \`sidecar\` exists, so git cannot create branches below \`sidecar/\`; rename the branch \`sidecar\``;
    expect(await workspace.publish()).toMatchObject({ ok: false, failure: { message } });
  });

  test('a branch that is kept stays where the source cannot take it', async () => {
    const repo = repository();
    const workspace = await prepared({ task_id: 'keep-me', repo });
    write(workspace.dir, { 'b.txt': 'b\n' });
    await workspace.commit('Add b');
    rmSync(repo, { recursive: true });
    await workspace.release({ keepBranch: true });
    expect(existsSync(workspace.dir)).toBe(false);
    expect(git(workspace.gitDirs[0]!, 'branch', '--list', 'sidecar/*')).toContain('sidecar/keep-me');
  });

  test('a released workspace that is not kept leaves no branch anywhere', async () => {
    const repo = repository();
    const workspace = await prepared({ task_id: 't', repo });
    write(workspace.dir, { 'b.txt': 'b\n' });
    await workspace.commit('Add b');
    await workspace.release({ keepBranch: false });
    expect(git(repo, 'branch', '--list', 'sidecar/*')).toBe('');
    expect(git(workspace.gitDirs[0]!, 'branch', '--list', 'sidecar/*')).toBe('');
  });

  test('after a crash the worktree of the same task is taken over as it is', async () => {
    const repo = repository();
    const shared = places();
    const first = await prepared({ task_id: 't', repo }, shared);
    write(first.dir, { 'half.txt': 'half done' });
    git(repo, 'commit', '-q', '--allow-empty', '-m', 'the source went on');
    const second = await prepared({ task_id: 't', repo }, shared);
    expect(second).toMatchObject({ dir: first.dir, baseCommit: first.baseCommit });
    expect(readFileSync(join(second.dir, 'half.txt'), 'utf8')).toBe('half done');
    expect((await second.commit('done')).files).toHaveLength(1);
  });

  test('tasks on one repository do not meet', async () => {
    const repo = repository();
    const shared = places();
    const both = await Promise.all(['one', 'two'].map((id) => prepared({ task_id: id, repo }, shared)));
    for (const workspace of both) write(workspace.dir, { 'a.txt': `${workspace.branch}\n` });
    const changes = await Promise.all(both.map((workspace) => workspace.commit('x')));
    expect(changes.map(({ branch, files }) => [branch, files.length])).toEqual([
      ['sidecar/one', 1],
      ['sidecar/two', 1],
    ]);
  });
});

describe('a workspace that cannot be had says why', () => {
  test.each([
    [
      'a folder that does not exist',
      '/nonexistent/repo',
      'workspace_repo_missing: There is no git repository at',
    ],
    ['a transport that runs programs', 'ext::sh -c evil', 'workspace_repo_unsupported'],
    ['an option', '--upload-pack=evil', 'workspace_repo_unsupported'],
    ['an unknown scheme', 'gopher://host/repo', 'workspace_repo_unsupported'],
    ['plain http to another host', 'http://example.com/repo', 'workspace_repo_unsupported'],
  ])('%s', async (_name, repo, message) => {
    expect(await failure({ task_id: 't', repo })).toContain(message);
  });

  test('a missing branch, a missing commit, an impossible name, no commits', async () => {
    const repo = repository();
    expect(await failure({ task_id: 't', repo, branch: 'nope' })).toContain(
      `workspace_branch_missing: nope is not a branch, tag or commit of ${repo}. Its branches: main`,
    );
    for (const name of ['HEAD^{tree}', 'main~9999999', ':/first', 'main@{1}', '~1'])
      expect(await failure({ task_id: 't', repo, branch: name })).toMatch(
        /workspace_(?:ref|branch)_missing/u,
      );
    expect(await failure({ task_id: 't', repo, base_ref: 'f'.repeat(40) })).toContain(
      'workspace_ref_missing',
    );
    expect(await failure({ task_id: 't', repo, branch: '--upload-pack=x' })).toContain('not a valid branch');
    const empty = temporaryFolder();
    git(empty, 'init', '-q');
    expect(await failure({ task_id: 't', repo: empty })).toContain('has no commits yet');
  });

  test('a repository that the operator does not allow', async () => {
    const repo = repository();
    const message = await failure(
      { task_id: 't', repo },
      { allowedRepos: ['/srv/*', 'https://github.com/acme/**'] },
    );
    expect(message).toContain('workspace_repo_not_allowed');
    await prepared({ task_id: 't', repo }, { allowedRepos: [repo] });
    await prepared({ task_id: 't', repo }, { allowedRepos: ['/**'] });
  });

  test('too little disk space', async () => {
    const message = await failure({ task_id: 't' }, { minFreeDiskBytes: 2 ** 60 });
    expect(message).toContain('workspace_disk_full');
  });
});

describe('a task without a repository', () => {
  test('gets an empty folder whose content is its change', async () => {
    const shared = places();
    const workspace = await prepared({ task_id: 'no repo!' }, shared);
    const before = await treeIdOf(workspace);
    write(workspace.dir, { 'notes.md': 'text\n' });
    expect(await treeIdOf(workspace)).not.toBe(before);
    const changes = await workspace.commit('x');
    expect(changes.files).toEqual([{ path: 'notes.md', status: 'added', additions: 1, deletions: 0 }]);
    expect([changes.base_commit, changes.branch, workspace.branch]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    git(workspace.dir, 'init', '-q');
    const again = await prepared({ task_id: 'no repo!' }, shared);
    expect((await again.commit('x')).files).toEqual(changes.files);
    await workspace.release({ keepBranch: false });
    expect(existsSync(workspace.dir)).toBe(false);
    expect(readdirSync(shared.cacheDir)).toEqual([]);
  });
});
