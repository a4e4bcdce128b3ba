import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../sidecar/system/clock.ts';
import { withFileLock } from '../../sidecar/workspace/file-lock.ts';
import { pruneWorkspaces } from '../../sidecar/workspace/prune-workspaces.ts';
import { makeDeepFolder } from '../support/deep-folder.ts';
import { prepared } from './prepared.ts';
import { cleanUp, git, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

const dayMs = 24 * 3600 * 1000;
const later = { ...systemClock, now: () => Date.now() + 20 * dayMs };

const prune = (
  where: ReturnType<typeof places>,
  activeTasks: string[],
  clock = systemClock,
  partialTasks: string[] = [],
): Promise<unknown> =>
  pruneWorkspaces({
    ...where,
    activeTasks: new Set(activeTasks),
    partialTasks: new Set(partialTasks),
    maxAgeMs: 14 * dayMs,
    clock,
  });

describe('cleaning up', () => {
  test('at start removes what a killed worker left, except of tasks that go on', async () => {
    const where = places();
    const repo = repository();
    const left = await prepared({ task_id: 'left', repo }, where);
    const goesOn = await prepared({ task_id: 'goes-on', repo }, where);
    write(left.dir, { 'x.txt': 'x' });
    mkdirSync(join(where.worktreesDir, 'half-made'));
    expect(await prune(where, ['goes-on'])).toMatchObject({ value: { workspaces: ['half-made', 'left'] } });
    expect(existsSync(goesOn.dir)).toBe(true);
    expect(readdirSync(join(goesOn.gitDirs[0]!, 'worktrees'))).toHaveLength(1);
    expect((await prepared({ task_id: 'goes-on', repo }, where)).adopted).toBe(true);
    expect((await prepared({ task_id: 'left', repo }, where)).adopted).toBe(false);
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

  test('the scratch folder of a partial result goes when it is old, any other that a killed worker left at once', async () => {
    const where = places();
    const workspace = await prepared({ task_id: 'notes' }, where);
    const finished = await prepared({ task_id: 'finished' }, where);
    write(workspace.dir, { 'x.txt': 'x' });
    await workspace.release({ keepBranch: true });
    await prune(where, [], systemClock, ['notes']);
    expect([existsSync(workspace.dir), existsSync(finished.dir)]).toEqual([true, false]);
    await prune(where, [], later, ['notes']);
    expect(existsSync(workspace.dir)).toBe(false);
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
