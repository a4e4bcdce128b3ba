import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../sidecar/base/system/clock.ts';
import { withFileLock } from '../../sidecar/workspace/file-lock.ts';
import { openFolderWorkspace } from '../../sidecar/workspace/folder-workspace.ts';
import { runGit, runGitText } from '../../sidecar/workspace/git.ts';
import { pruneWorkspaces } from '../../sidecar/workspace/prune-workspaces.ts';
import type { PreparedWorkspace } from '../../sidecar/workspace/task-workspace.ts';
import { makeDeepFolder } from '../support/deep-folder.ts';
import { prepared, treeIdOf } from './prepared.ts';
import { cleanUp, git, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

describe('folder workspace', () => {
  async function opened(dir: string): Promise<PreparedWorkspace> {
    const outcome = await openFolderWorkspace(dir, { privateDir: join(temporaryFolder(), 'private') });
    if (!outcome.ok) throw new Error(outcome.failure.message);
    return outcome.value;
  }

  describe("a caller's folder", () => {
    test('shows the git folders behind its own `.git`, where they point back', async () => {
      const lent = repository();
      const own = join(temporaryFolder(), 'own');
      git(lent, 'clone', '-q', '--shared', lent, own);
      expect((await opened(own)).gitDirs).toEqual([join(own, '.git'), join(lent, '.git/objects')]);
      const linked = join(temporaryFolder(), 'linked');
      git(lent, 'worktree', 'add', '-q', linked);
      expect((await opened(linked)).gitDirs).toEqual([
        join(lent, '.git/worktrees/linked'),
        join(lent, '.git'),
      ]);
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
      const tree = await treeIdOf(workspace);
      expect((await workspace.commit('x')).files).toEqual([]);
      write(dir, { 'a.txt': 'changed by the task\n', 'x.log': 'ignored still' });
      rmSync(join(dir, 'b.txt'));
      expect(await treeIdOf(workspace)).not.toBe(tree);
      const changes = await workspace.commit('x');
      expect(changes.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
        'modified a.txt',
        'deleted b.txt',
      ]);
      expect(changes.patch).toContain('-edited\n+changed by the task\n');
      expect(await workspace.listUncommittedFiles()).toEqual([]);
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
});

describe('git', () => {
  const { PATH: path, HOME: home } = process.env;
  afterEach(() => {
    Object.assign(process.env, { PATH: path, HOME: home });
  });
  /** Puts a shell script in the place of git, for what the real one does only with a bad network. */
  function fakeGit(script: string): string {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'git'), 0o755);
    process.env.PATH = `${folder}:${path}`;
    return folder;
  }

  describe('a call of git', () => {
    test('gives its output, and its failure with what it said', async () => {
      const gitDir = join(repository(), '.git');
      expect(await runGitText({ gitDir, args: ['rev-parse', '--is-bare-repository'] })).toEqual({
        ok: true,
        value: 'false',
      });
      expect(await runGit({ gitDir, args: ['rev-parse', '--verify', 'nope'] })).toMatchObject({
        ok: false,
        failure: { code: 'git_failed', message: 'git rev-parse: Needed a single revision', exitCode: 128 },
      });
    });

    test('that takes too long is ended with all it started', async () => {
      const folder = fakeGit('sleep 60 & echo $! > "$HOME/child"; trap "" TERM; wait; wait');
      process.env.HOME = folder;
      const outcome = await runGit({ gitDir: folder, args: ['fetch'], timeoutMs: 200 });
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'git_timeout' } });
      const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
      expect(() => process.kill(child, 0)).toThrow();
    });

    test('does not wait for a helper that holds its error output open', async () => {
      const folder = fakeGit('setsid sleep 30 >/dev/null & echo done');
      const startMs = performance.now();
      expect(await runGitText({ gitDir: folder, args: ['fetch'] })).toEqual({ ok: true, value: 'done' });
      expect(performance.now() - startMs).toBeLessThan(20_000);
    });

    test('is bounded in output', async () => {
      const folder = fakeGit('yes');
      expect(await runGit({ gitDir: folder, args: ['log'], maxOutputBytes: 10_000 })).toMatchObject({
        failure: { code: 'git_output_too_large' },
      });
    });

    test('can be stopped, before it starts too', async () => {
      const folder = fakeGit('sleep 60');
      const controller = new AbortController();
      const running = runGit({ gitDir: folder, args: ['fetch'], signal: controller.signal });
      controller.abort();
      expect(await running).toMatchObject({ failure: { code: 'aborted' } });
      expect(await runGit({ gitDir: folder, args: ['fetch'], signal: controller.signal })).toMatchObject({
        failure: { code: 'aborted' },
      });
    });

    test('says so when there is no git', async () => {
      process.env.PATH = '/nonexistent';
      expect(await runGit({ gitDir: temporaryFolder(), args: ['version'] })).toMatchObject({
        failure: { code: 'git_missing', message: expect.stringContaining('git could not be started') },
      });
    });

    test('is not a program of the work tree, where the PATH has a folder that is not absolute', async () => {
      const workTree = repository();
      write(workTree, { git: '#!/bin/sh\ntouch planted\n', 'bin/git': '#!/bin/sh\ntouch planted\n' });
      for (const name of ['git', 'bin/git']) chmodSync(join(workTree, name), 0o755);
      process.env.PATH = `:.:bin:${path}`;
      const ran = await runGitText({ gitDir: join(workTree, '.git'), workTree, args: ['status', '--short'] });
      expect(ran).toEqual({ ok: true, value: '?? bin/\n?? git' });
      expect(existsSync(join(workTree, 'planted'))).toBe(false);
    });

    test('gets nothing of the environment that could steer it', async () => {
      const folder = fakeGit('env | grep ^GIT_ | sort; echo "secret=$MY_SECRET"');
      Object.assign(process.env, {
        GIT_DIR: '/evil',
        GIT_EXTERNAL_DIFF: '/evil',
        GIT_CONFIG_PARAMETERS: 'x',
        MY_SECRET: 'x',
      });
      try {
        const local = await runGitText({ gitDir: folder, args: ['status'] });
        expect(local.ok && local.value).not.toMatch(/evil|GIT_CONFIG_PARAMETERS|secret=x/);
        const remote = await runGitText({ gitDir: folder, args: ['fetch'], usesOperatorConfig: true });
        expect(remote.ok && remote.value).not.toMatch(/evil|GIT_CONFIG_PARAMETERS/);
      } finally {
        for (const name of ['GIT_DIR', 'GIT_EXTERNAL_DIFF', 'GIT_CONFIG_PARAMETERS', 'MY_SECRET'])
          delete process.env[name];
      }
    });
  });
});

describe('prune workspaces', () => {
  const dayMs = 24 * 3600 * 1000;
  const later = { ...systemClock, now: () => Date.now() + 20 * dayMs };

  const prune = (
    where: ReturnType<typeof places>,
    activeTasks: string[],
    clock = systemClock,
  ): Promise<unknown> =>
    pruneWorkspaces({
      ...where,
      activeTasks: new Set(activeTasks),
      maxAgeMs: 14 * dayMs,
      clock,
    });

  test('what a cut off fetch left in a cache is removed after a day', async () => {
    const where = places();
    const task = await prepared({ task_id: 'task', repo: repository() }, where);
    await task.release({ keepBranch: true });
    const [cache = ''] = readdirSync(where.cacheDir).filter((name) => name.endsWith('.git'));
    const pack = (name: string) => join(where.cacheDir, cache, 'objects/pack', name);
    for (const name of ['tmp_pack_old', 'tmp_pack_new']) writeFileSync(pack(name), 'x');
    utimesSync(pack('tmp_pack_old'), 1, 1);
    await prune(where, []);
    expect(['tmp_pack_old', 'tmp_pack_new'].map((name) => existsSync(pack(name)))).toEqual([false, true]);
  });

  describe('cleaning up', () => {
    test('at start removes what a killed worker left, except of tasks that go on', async () => {
      const where = places();
      const repo = repository();
      const left = await prepared({ task_id: 'left', repo }, where);
      const goesOn = await prepared({ task_id: 'goes-on', repo }, where);
      for (const { dir } of [left, goesOn]) write(dir, { 'x.txt': 'x' });
      mkdirSync(join(where.worktreesDir, 'half-made'));
      expect(await prune(where, ['goes-on'])).toMatchObject({ value: { workspaces: ['half-made', 'left'] } });
      expect(existsSync(goesOn.dir)).toBe(true);
      expect(readdirSync(join(goesOn.gitDirs[0]!, 'worktrees'))).toHaveLength(1);
      const again = async (name: string) =>
        (await prepared({ task_id: name, repo }, where)).listUncommittedFiles();
      expect([await again('goes-on'), await again('left')]).toEqual([['x.txt'], []]);
    });

    test('a branch that a partial result needs stays until its time is over', async () => {
      const where = places();
      const workspace = await prepared({ task_id: 'partial', repo: `file://${repository()}` }, where);
      write(workspace.dir, { 'x.txt': 'x' });
      await workspace.commit('x');
      await workspace.release({ keepBranch: true });
      const cache = workspace.gitDirs[0]!;
      await prune(where, []);
      expect(git(cache, 'branch', '--list', 'sidecar/*')).toBe('sidecar/partial');
      expect(await prune(where, [], later)).toMatchObject({
        value: { branches: ['sidecar/partial'], caches: [cache] },
      });
      expect(existsSync(cache)).toBe(false);
    });

    test('the work of a partial result without a repository goes when it is old, what a killed worker left at once', async () => {
      const where = places();
      const workspace = await prepared({ task_id: 'notes' }, where);
      const killed = await prepared({ task_id: 'killed' }, where);
      write(workspace.dir, { 'x.txt': 'x' });
      await workspace.commit('x');
      await workspace.release({ keepBranch: true });
      await prune(where, []);
      expect([workspace, killed].map(({ dir }) => existsSync(dir))).toEqual([false, false]);
      expect(await prune(where, [], later)).toMatchObject({
        value: { branches: ['sidecar/killed', 'sidecar/notes'] },
      });
      expect(readdirSync(where.cacheDir)).toEqual([]);
    });

    test('removes folders that are too deep for a path, and locked ones, with the others', async () => {
      const where = places();
      makeDeepFolder(join(where.worktreesDir, 'deep'), '/etc');
      write(where.worktreesDir, { 'locked/a/b/c.txt': 'x', 'z-last/a.txt': 'x' });
      chmodSync(join(where.worktreesDir, 'locked/a/b'), 0);
      mkdirSync(where.cacheDir, { recursive: true });
      expect(await prune(where, [])).toMatchObject({
        ok: true,
        value: { workspaces: ['deep', 'locked', 'z-last'] },
      });
      expect(readdirSync(where.worktreesDir)).toEqual([]);
      expect(existsSync('/etc')).toBe(true);
    });

    test('of folders that do not exist yet is nothing to do', async () => {
      expect(await prune(places(), [])).toEqual({
        ok: true,
        value: { workspaces: [], branches: [], caches: [] },
      });
    });
  });

  describe('the lock of a cache', () => {
    const options = { clock: systemClock, timeoutMs: 10_000 };

    test('lets one holder in at a time', async () => {
      const path = join(temporaryFolder(), 'lock');
      let inside = 0;
      let most = 0;
      const work = async (): Promise<{ ok: true; value: true }> => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        inside -= 1;
        return { ok: true, value: true };
      };
      const all = await Promise.all([1, 2, 3, 4, 5].map(() => withFileLock(path, options, work)));
      expect(all.every(({ ok }) => ok)).toBe(true);
      expect(most).toBe(1);
      expect(existsSync(path)).toBe(false);
    });

    test('is taken from a holder that died, and not from one that lives', async () => {
      const path = join(temporaryFolder(), 'lock');
      const dead = spawnSync('true').pid;
      writeFileSync(path, JSON.stringify({ pid: dead, host: hostname(), token: 'x' }));
      const done = { ok: true as const, value: true };
      expect(await withFileLock(path, options, () => Promise.resolve(done))).toEqual(done);
      writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname(), token: 'x' }));
      expect(
        await withFileLock(path, { ...options, timeoutMs: 60 }, () => Promise.resolve(done)),
      ).toMatchObject({
        ok: false,
        failure: { code: 'workspace_lock_timeout' },
      });
    });

    test('an abort ends the wait for it', async () => {
      const path = join(temporaryFolder(), 'lock');
      writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname(), token: 'x' }));
      const signal = AbortSignal.timeout(50);
      expect(
        await withFileLock(path, { ...options, signal }, () => Promise.resolve({ ok: true, value: 1 })),
      ).toMatchObject({ failure: { code: 'aborted' } });
    });
  });
});
