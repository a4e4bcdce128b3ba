import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { prepared } from './prepared.ts';
import { cleanUp, git, places, repository, write } from './repositories.ts';

afterAll(cleanUp);

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
    expect(await second.uncommittedFiles()).toEqual(['a.txt', 'b.txt', 'bin.dat']);
    write(second.dir, { 'c.txt': 'more\n' });
    const all = await second.commit('part two');
    expect(all.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'bin.dat', 'c.txt']);
    expect(git(second.dir, 'log', '--format=%s', `${all.base_commit}..HEAD`)).toBe(
      'part two\nEarlier work of this task',
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
    expect(await second.base.changedPaths()).toEqual({ ok: true, value: ['a.txt'] });
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
