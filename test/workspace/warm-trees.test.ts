/** Trees of ended tasks that the next tasks of their repository get: the same as fresh ones, whatever was left in them. */
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { pruneWorkspaces } from '../../sidecar/workspace/prune-workspaces.ts';
import type { PreparedWorkspace } from '../../sidecar/workspace/task-workspace.ts';
import * as fc from '../support/properties.ts';
import { scaled } from '../support/scale.ts';
import { prepared } from './prepared.ts';
import { cleanUp, git, places, repository, write } from './repositories.ts';

afterAll(cleanUp);

const FILES = {
  'a.txt': 'a\n',
  'run.sh': '#!/bin/sh\n',
  'src/b.txt': 'b\n',
  'src/deep/c.txt': 'c\n',
  '.gitignore': '*.log\nnode_modules\n',
};

function source(): string {
  const repo = repository(FILES);
  chmodSync(join(repo, 'run.sh'), 0o755);
  symlinkSync('a.txt', join(repo, 'link'));
  git(repo, 'add', '-A');
  git(repo, 'commit', '-qm', 'modes and links');
  return repo;
}

/** Everything in a tree but what names its place. */
function contents(dir: string, path = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(dir, path))) {
    const inner = path === '' ? name : `${path}/${name}`;
    const stats = lstatSync(join(dir, inner));
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory()) Object.assign(found, { [inner]: `folder ${mode}` }, contents(dir, inner));
    else if (stats.isSymbolicLink()) found[inner] = `link ${readlinkSync(join(dir, inner))}`;
    else found[inner] = `${mode} ${inner === '.git' ? '' : readFileSync(join(dir, inner), 'utf8')}`;
  }
  return found;
}

/** The folders of a worker that keeps trees. */
const keeping = () => ({ ...places(), warmTrees: 2 });

const inode = (dir: string, path: string): number => lstatSync(join(dir, path)).ino;

/** What a task may leave in its tree, or its checks in theirs. Only actions that no other one prevents. */
const LEFTOVERS: Record<string, (dir: string) => void> = {
  edit: (dir) => writeFileSync(join(dir, 'a.txt'), 'hostile\n'),
  'an edit of the same size at the same time': (dir) => {
    const { atime, mtime } = lstatSync(join(dir, 'src/b.txt'));
    writeFileSync(join(dir, 'src/b.txt'), 'x\n');
    utimesSync(join(dir, 'src/b.txt'), atime, mtime);
  },
  'a mode that git does not see': (dir) => chmodSync(join(dir, 'a.txt'), 0o600),
  'the mode of a folder': (dir) => chmodSync(join(dir, 'src'), 0o700),
  'an ignored file': (dir) => write(dir, { 'src/x.log': 'x', 'node_modules/p/index.js': 'x' }),
  'attributes of a folder': (dir) => write(dir, { 'src/.gitattributes': '* text eol=crlf\n' }),
  'a changed list of what is ignored': (dir) => writeFileSync(join(dir, '.gitignore'), '*\n'),
  'a nested repository': (dir) => {
    mkdirSync(join(dir, 'nested'));
    git(join(dir, 'nested'), 'init', '-q');
    write(dir, { 'nested/x': 'x' });
  },
  'another .git file': (dir) => writeFileSync(join(dir, '.git'), 'gitdir: /nonexistent\n'),
  'no .git file': (dir) => rmSync(join(dir, '.git'), { recursive: true, force: true }),
  'a repository of its own': (dir) => {
    rmSync(join(dir, '.git'), { recursive: true, force: true });
    git(dir, 'init', '-q');
  },
  'a folder in place of a file': (dir) => {
    rmSync(join(dir, 'run.sh'));
    write(dir, { 'run.sh/x': 'x' });
  },
  'a link out of the tree in place of a folder': (dir) => {
    renameSync(join(dir, 'src/deep'), join(dir, 'moved'));
    symlinkSync(join(dir, 'moved'), join(dir, 'src/deep'));
  },
  'a second name of a file': (dir) => linkSync(join(dir, 'a.txt'), join(dir, 'second')),
  'a link to another place': (dir) => {
    rmSync(join(dir, 'link'));
    symlinkSync('/etc/passwd', join(dir, 'link'));
  },
};

async function fresh(repo: string): Promise<Record<string, string>> {
  const workspace = await prepared({ task_id: 'fresh', repo });
  const found = contents(workspace.dir);
  await workspace.release({ keepBranch: false });
  return found;
}

async function checksRun(workspace: PreparedWorkspace, inTree: (dir: string) => void): Promise<void> {
  const tree = await workspace.checkOut('base');
  if (!tree.ok) throw new Error(tree.failure.message);
  inTree(tree.value.dir);
  tree.value.release();
}

describe('warm trees', () => {
  test('the next task of the repository gets the files of the one before, on its own branch', async () => {
    const repo = source();
    const at = keeping();
    const first = await prepared({ task_id: 'first', repo }, at);
    const before = inode(first.dir, 'src/b.txt');
    write(first.dir, { 'a.txt': 'work\n', 'new.txt': 'new\n' });
    await first.commit('Work');
    await first.release({ keepBranch: true });
    expect(existsSync(first.dir)).toBe(false);
    write(repo, { 'a.txt': 'later\n' });
    git(repo, 'commit', '-qam', 'later');
    const second = await prepared({ task_id: 'second', repo }, at);
    expect(inode(second.dir, 'src/b.txt')).toBe(before);
    expect(contents(second.dir)).toEqual(await fresh(repo));
    expect(git(second.dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/sidecar/second');
    expect(git(second.dir, 'status', '--porcelain')).toBe('');
    expect(await second.listUncommittedFiles()).toEqual([]);
    write(second.dir, { 'b.txt': 'b\n' });
    const { files } = await second.commit('More');
    expect(files).toMatchObject([{ path: 'b.txt', status: 'added' }]);
  });

  test('a tree is the same as a fresh one, whatever a task and its checks left in it', async () => {
    const repo = source();
    const expected = await fresh(repo);
    const names = Object.keys(LEFTOVERS);
    const leave = (dir: string, chosen: readonly string[]) =>
      chosen.forEach((name) => LEFTOVERS[name]?.(dir));
    const at = keeping();
    let count = 0;
    const holds = async (inTask: readonly string[], inChecks: readonly string[]): Promise<void> => {
      const task = await prepared({ task_id: `task-${(count += 1)}`, repo }, at);
      expect([inTask, contents(task.dir)]).toEqual([inTask, expected]);
      await checksRun(task, (dir) => {
        expect([inChecks, contents(dir)]).toEqual([inChecks, expected]);
        leave(dir, inChecks);
      });
      leave(task.dir, inTask);
      await task.release({ keepBranch: false });
    };
    for (const name of names) await holds([name], [name]);
    const some = fc.subarray(names);
    await fc.assert(fc.asyncProperty(some, some, holds), { numRuns: scaled({ quick: 10, full: 200 }) });
    await holds([], []);
  }, 120_000);

  test('a commit with other attributes gets a fresh tree', async () => {
    const repo = source();
    const at = keeping();
    await (await prepared({ task_id: 'first', repo }, at)).release({ keepBranch: false });
    write(repo, { '.gitattributes': '*.txt text eol=crlf\n' });
    git(repo, 'add', '-A');
    git(repo, 'commit', '-qm', 'attributes');
    const second = await prepared({ task_id: 'second', repo }, at);
    expect(readFileSync(join(second.dir, 'src/b.txt'), 'utf8')).toBe('b\r\n');
  });

  test('a kept tree is still the next task’s after old data was removed', async () => {
    const repo = source();
    const at = keeping();
    const first = await prepared({ task_id: 'first', repo }, at);
    const before = inode(first.dir, 'src/b.txt');
    await first.release({ keepBranch: false });
    await pruneWorkspaces({ ...at, activeTasks: new Set<string>(), maxAgeMs: 1e9 });
    const next = await prepared({ task_id: 'next', repo }, at);
    expect(inode(next.dir, 'src/b.txt')).toBe(before);
    expect(contents(next.dir)).toEqual(await fresh(repo));
  });

  test('two trees of a repository are kept, for a day, and a damaged one is no obstacle', async () => {
    const repo = source();
    const at = keeping();
    const tasks = [];
    for (const name of ['one', 'two', 'three']) tasks.push(await prepared({ task_id: name, repo }, at));
    for (const task of tasks) await task.release({ keepBranch: false });
    const [cache = ''] = readdirSync(join(at.worktreesDir, '.warm'));
    const kept = join(at.worktreesDir, '.warm', cache);
    expect(readdirSync(kept)).toHaveLength(2);
    for (const name of readdirSync(kept))
      rmSync(join(at.cacheDir, cache, 'worktrees', name), { recursive: true });
    const next = await prepared({ task_id: 'next', repo }, at);
    expect(contents(next.dir)).toEqual(await fresh(repo));
    expect(readdirSync(kept)).toEqual([]);
    await next.release({ keepBranch: false });
    const none = { activeTasks: new Set<string>(), maxAgeMs: 1e9 };
    await pruneWorkspaces({ ...at, ...none });
    const [left = ''] = readdirSync(kept);
    expect(left).not.toBe('');
    utimesSync(join(kept, left), 1, 1);
    await pruneWorkspaces({ ...at, ...none });
    expect(existsSync(join(at.worktreesDir, '.warm'))).toBe(false);
  });
});
