import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { stageContent } from '../../sidecar/workspace/files/file-write.ts';
import { mergeWork } from '../../sidecar/workspace/merge-work.ts';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { prepared, treeIdOf } from './prepared.ts';
import { cleanUp, git, places, repository, write } from './repositories.ts';

afterAll(cleanUp);

/** A finished task's commit is merged into a person's repository, or nothing of theirs is touched. */
describe('merge work', () => {
  let dir: string;
  let repo: string;
  /** Of the branch `work`, which changes `a.txt` to `good`. */
  let commit: string;

  const git = async (...args: string[]): Promise<string> =>
    (await execa('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: repo })).stdout;
  const write = (name: string, text: string) => writeFile(join(repo, name), text);
  const read = (name: string) => readFile(join(repo, name), 'utf8');
  const merge = (more: { allowDirty?: boolean; commit?: string } = {}) =>
    mergeWork({ repo, commit, branch: 'work', allowDirty: false, ...more });

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sidecar-merge-'));
    repo = await sampleRepository(dir, { 'b.txt': 'b\n' });
    await git('config', 'user.name', 'Person');
    await git('config', 'user.email', 'person@example');
    await git('checkout', '-q', '-b', 'work');
    await write('a.txt', 'good\n');
    await git('commit', '-qam', 'work');
    commit = await git('rev-parse', 'HEAD');
    await git('checkout', '-q', 'main');
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  /** Commits another text of a file on `main`. */
  async function meanwhile(name: string, text: string): Promise<void> {
    await write(name, text);
    await git('commit', '-qam', 'meanwhile');
  }

  describe('a merge', () => {
    test('goes forward, and once', async () => {
      expect(await merge()).toMatchObject({ ok: true });
      expect(await read('a.txt')).toBe('good\n');
      expect(await merge()).toEqual({ ok: true, value: 'The commit of the task is already merged.' });
    });

    test('joins other work as the person, who is told of no hook', async () => {
      await meanwhile('b.txt', 'other\n');
      await mkdir(join(repo, '.git/hooks'));
      await writeFile(join(repo, '.git/hooks/post-merge'), `#!/bin/sh\ntouch ${dir}/ran\n`, { mode: 0o755 });
      expect(await merge()).toMatchObject({ ok: true });
      expect(await git('log', '-1', '--format=%an %s')).toBe("Person Merge branch 'work'");
      expect([await read('a.txt'), await read('b.txt')]).toEqual(['good\n', 'other\n']);
      await expect(readFile(join(dir, 'ran'))).rejects.toThrow(/ENOENT/u);
    });

    test('runs no filter and no merge driver that the commit’s attributes name', async () => {
      const ran = join(dir, 'ran');
      for (const key of ['clean', 'smudge', 'process'])
        await git('config', `filter.f.${key}`, `touch ${ran}; cat`);
      const off = ['clean', 'smudge', 'process'].flatMap((key) => ['-c', `filter.f.${key}=`]);
      const without = [...off, '-c', 'filter.f.required=false'];
      await git('config', 'filter.f.required', 'true');
      await git('config', 'merge.d.driver', `touch ${ran}`);
      await git('checkout', '-q', 'work');
      await write('.gitattributes', '* filter=f merge=d\n');
      await git(...without, 'add', '-A');
      await git(...without, 'commit', '-qm', 'attributes');
      commit = await git('rev-parse', 'HEAD');
      await git(...without, 'checkout', '-q', 'main');
      await rm(ran, { force: true });
      await meanwhile('b.txt', 'other\n');
      expect(await merge()).toMatchObject({ ok: true });
      expect(await read('a.txt')).toBe('good\n');
      await expect(readFile(ran)).rejects.toThrow(/ENOENT/u);
    });

    test('with a conflict is taken back, and its files are named', async () => {
      await meanwhile('a.txt', 'other\n');
      const before = await git('rev-parse', 'HEAD');
      expect(await merge()).toMatchObject({
        failure: {
          code: 'workspace_merge_failed',
          message: expect.stringMatching(/Conflicts in:\na\.txt\nNothing was changed/u),
        },
      });
      expect([
        await read('a.txt'),
        await git('status', '--porcelain'),
        await git('rev-parse', 'HEAD'),
      ]).toEqual(['other\n', '', before]);
    });

    test.each([
      ['a commit that is not there', { commit: '0'.repeat(40) }, 'workspace_ref_missing'],
      ['what is no commit id', { commit: '--abort' }, 'workspace_ref_missing'],
    ])('of %s is refused', async (_what, more, code) => {
      expect(await merge(more)).toMatchObject({ failure: { code } });
    });

    test('into a bare repository is refused', async () => {
      await git('clone', '-q', '--bare', repo, join(dir, 'bare.git'));
      repo = join(dir, 'bare.git');
      expect(await merge()).toMatchObject({ failure: { code: 'workspace_no_work_tree' } });
    });
  });

  describe('edits that are not committed', () => {
    test('stop a merge and are named', async () => {
      await write('b.txt', 'edited\n');
      expect(await merge()).toMatchObject({
        failure: { code: 'workspace_dirty', message: expect.stringMatching(/\n ?M b\.txt/u) },
      });
      expect(await read('a.txt')).toBe('bad\n');
    });

    test('stay where the merge is wanted all the same', async () => {
      await write('b.txt', 'edited\n');
      expect(await merge({ allowDirty: true })).toMatchObject({ ok: true });
      expect([await read('a.txt'), await read('b.txt')]).toEqual(['good\n', 'edited\n']);
    });

    test('of a file of the merge stay, and nothing is merged', async () => {
      await write('a.txt', 'edited\n');
      const refused = await merge({ allowDirty: true });
      expect(refused).toMatchObject({ failure: { code: 'workspace_merge_failed' } });
      expect([await read('a.txt'), await git('log', '-1', '--format=%s')]).toEqual(['edited\n', 'start']);
    });

    test('stay where the merge would have conflicts', async () => {
      await meanwhile('a.txt', 'other\n');
      await write('b.txt', 'edited\n');
      expect(await merge({ allowDirty: true })).toMatchObject({
        failure: { code: 'workspace_merge_failed' },
      });
      expect([await read('a.txt'), await read('b.txt')]).toEqual(['other\n', 'edited\n']);
    });

    test('of a merge that the person has under way are not taken back', async () => {
      await git('checkout', '-q', '-b', 'theirs');
      await meanwhile('b.txt', 'theirs\n');
      await git('checkout', '-q', 'main');
      await git('merge', '-q', '--no-commit', '--no-ff', 'theirs');
      expect(await merge({})).toMatchObject({ failure: { code: 'workspace_merge_failed' } });
      expect(await read('b.txt')).toBe('theirs\n');
      expect(await git('rev-parse', 'MERGE_HEAD')).toBe(await git('rev-parse', 'theirs'));
    });
  });
});

describe('follow up patch', () => {
  describe('a follow-up that carries the earlier work as a patch', () => {
    test('begins with that work, on the base it was made on, and tells all of it', async () => {
      const repo = repository({ 'a.txt': 'one\n', 'bin.dat': Buffer.from([0, 1, 2]) });
      const first = await prepared({ task_id: 'first', repo });
      write(first.dir, { 'a.txt': 'two\n', 'b.txt': 'new\n', 'bin.dat': Buffer.from([0, 3, 4]) });
      const earlier = await first.commit('part one');
      git(repo, 'commit', '-q', '--allow-empty', '-m', 'main went on');

      const task = {
        task_id: 'second',
        repo,
        base_ref: earlier.base_commit!,
        metadata: { follow_up_patch: earlier.patch },
      };
      const second = await prepared(task);
      expect(readFileSync(join(second.dir, 'a.txt'), 'utf8')).toBe('two\n');
      expect([...readFileSync(join(second.dir, 'bin.dat'))]).toEqual([0, 3, 4]);
      expect(second.baseCommit).toBe(earlier.base_commit);
      expect(await second.listUncommittedFiles()).toEqual(['a.txt', 'b.txt', 'bin.dat']);
      write(second.dir, { 'c.txt': 'more\n' });
      const all = await second.commit('part two');
      expect(all.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'bin.dat', 'c.txt']);
      expect(git(second.dir, 'log', '--format=%s', `${all.base_commit}..HEAD`)).toBe(
        'part two\nChanges of the previous task',
      );
      expect(await second.publish()).toMatchObject({ ok: true, value: { where: 'source' } });
    });

    test('of a hub that keeps only branch and metadata begins with the earlier work, in either form', async () => {
      const repo = repository({ 'a.txt': 'one\n' });
      const shared = places();
      const first = await prepared({ task_id: 'first', repo }, shared);
      write(first.dir, { 'a.txt': 'two\n' });
      const { base_commit: base, head_commit: head, branch, patch } = await first.commit('part one');
      git(repo, 'commit', '-q', '--allow-empty', '-m', 'main went on');

      const kept = { repo, branch: branch! };
      const metadata = { follow_up_from: base, follow_up_patch: patch };
      const patched = await prepared({ ...kept, task_id: 'second', metadata });
      expect(readFileSync(join(patched.dir, 'a.txt'), 'utf8')).toBe('two\n');
      expect(patched).toMatchObject({ baseCommit: base, hasEarlierWork: true });

      await first.publish();
      const named = await prepared({ ...kept, task_id: 'third', metadata: { follow_up_from: head } });
      expect(named).toMatchObject({ baseCommit: head, hasEarlierWork: true });
      const unchanged = await prepared({ repo, task_id: 'fourth', metadata: { follow_up_from: base } });
      expect(unchanged.hasEarlierWork).toBe(false);
      const unnamed = await prepared({ repo, task_id: 'fifth' });
      expect(unnamed.hasEarlierWork).toBeUndefined();
    });

    test('without a repository begins with the files it adds', async () => {
      const first = await prepared({ task_id: 'first' });
      write(first.dir, { 'notes/a.md': 'text\n' });
      const earlier = await first.commit('x');
      const second = await prepared({ task_id: 'second', metadata: { follow_up_patch: earlier.patch } });
      expect(readFileSync(join(second.dir, 'notes/a.md'), 'utf8')).toBe('text\n');
      expect((await second.commit('x')).files).toHaveLength(1);
    });

    test.each([
      ['does not apply', 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-other\n+x\n'],
      [
        'leaves the tree',
        'diff --git a/../../x b/../../x\nnew file mode 100644\n--- /dev/null\n+++ b/../../x\n@@ -0,0 +1 @@\n+x\n',
      ],
      [
        'writes to .git',
        'diff --git a/.git/hooks/x b/.git/hooks/x\nnew file mode 100755\n--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n',
      ],
      ['is no patch', 'hello'],
    ])('that %s is refused before anything is made', async (_name, patch) => {
      const shared = places();
      const task = { task_id: 't', repo: repository(), metadata: { follow_up_patch: patch } };
      const outcome = await prepareWorkspace({ ...shared, task });
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'workspace_patch_failed' } });
      expect(existsSync(join(shared.worktreesDir, 't'))).toBe(false);
    });

    test('a file behind a link that the patch makes is refused', async () => {
      const patch = [
        'diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+/tmp\n\\ No newline at end of file\n',
        'diff --git a/link/x b/link/x\nnew file mode 100644\n--- /dev/null\n+++ b/link/x\n@@ -0,0 +1 @@\n+x\n',
      ].join('');
      const outcome = await prepareWorkspace({
        ...places(),
        task: { task_id: 't', repo: repository(), metadata: { follow_up_patch: patch } },
      });
      expect(outcome.ok).toBe(false);
    });

    test('that begins at a later commit of its chain is told against the first base', async () => {
      const repo = repository({ 'a.txt': 'one\n' });
      const shared = places();
      const first = await prepared({ task_id: 'first', repo }, shared);
      write(first.dir, { 'a.txt': 'two\n' });
      const { base_commit: base, head_commit: head } = await first.commit('part one');
      await first.publish();
      const task = { repo, base_ref: head!, metadata: { follow_up_base: base! } };
      const second = await prepared({ ...task, task_id: 'second' }, shared);
      expect(second).toMatchObject({ baseCommit: base, beganFromTask: true });
      expect(await second.base.listChangedPaths()).toEqual({ ok: true, value: ['a.txt'] });
      write(second.dir, { 'b.txt': 'new\n' });
      const all = await second.commit('part two');
      expect(all.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
      for (const follow_up_base of ['f'.repeat(40), '--all', 7, 'main']) {
        const strange = { ...task, task_id: 'third', metadata: { follow_up_base } };
        const outcome = await prepareWorkspace({ ...shared, task: strange });
        expect(outcome).toMatchObject({ ok: false, failure: { code: 'workspace_ref_missing' } });
      }
    });

    test('an unpushed commit of an earlier task is found on the worker that made it', async () => {
      const repo = `file://${repository()}`;
      const shared = places();
      const first = await prepared({ task_id: 'first', repo }, shared);
      write(first.dir, { 'big.txt': 'x\n' });
      const { head_commit: head } = await first.commit('x');
      await first.release({ keepBranch: true });
      const second = await prepared({ task_id: 'second', repo, base_ref: head! }, shared);
      expect(readFileSync(join(second.dir, 'big.txt'), 'utf8')).toBe('x\n');
      expect(second.baseCommit).toBe(head);
    });
  });
});

describe('half done writes', () => {
  /** Leaves what a worker leaves that is killed between writing new content and renaming it into place. */
  async function killedWhileWriting(workspace: string, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const folder = join(workspace, dirname(path));
      mkdirSync(folder, { recursive: true });
      const open = { entry: (name: string) => join(folder, name), close: () => Promise.resolve() };
      await stageContent(open, basename(path), Buffer.from('never renamed'), undefined);
    }
  }

  const temporaryIn = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.write-[0-9a-f]{16}\.tmp$/u.test(path),
    );

  describe.each([
    [
      'a worktree',
      () => ({ task_id: 't', repo: repository({ 'a.txt': 'one\n', '.gitignore': 'built/\n' }) }),
    ],
    ['a scratch folder', () => ({ task_id: 't' })],
  ])('what a killed worker left of a write in %s', (_name, taskOf) => {
    const where = places();
    const task = taskOf();
    const prepare = () => prepared(task, where);

    test('is not committed, and is gone when the next life takes the workspace over', async () => {
      const workspace = await prepare();
      const { dir } = workspace;
      write(dir, {
        'done.txt': 'done\n',
        '.write-notes.tmp': 'mine\n',
        'built/b.txt': 'ignored by the repository\n',
      });
      const before = await treeIdOf(workspace);
      await killedWhileWriting(dir, ['a.txt', 'sub/new.txt', 'built/c.txt']);
      expect(temporaryIn(dir)).toHaveLength(3);
      expect(await treeIdOf(workspace)).toBe(before);
      const paths = (await workspace.commit('Do it')).files.map(({ path }) => path);
      expect(paths).toEqual(expect.arrayContaining(['.write-notes.tmp', 'done.txt']));
      expect(paths.filter((path) => path.includes('.write-'))).toEqual(['.write-notes.tmp']);

      const again = await prepare();
      expect(again.dir).toBe(dir);
      expect(temporaryIn(dir)).toEqual([]);
      expect(existsSync(join(dir, '.write-notes.tmp'))).toBe(true);
    });
  });
});
