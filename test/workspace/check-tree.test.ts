import { execFileSync } from 'node:child_process';
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
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openFolderFiles } from '../../sidecar/solving/brief/folder-files.ts';
import { LocalExecutionEnvironment } from '../../sidecar/workspace/local-environment.ts';
import { readSmallFile } from '../../sidecar/base/system/small-file.ts';
import type { CheckedState, CheckTree } from '../../sidecar/workspace/check-tree.ts';
import { openFolderWorkspace } from '../../sidecar/workspace/folder-workspace.ts';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { taskBranchOf, toTaskName } from '../../sidecar/workspace/task-names.ts';
import type { PreparedWorkspace } from '../../sidecar/workspace/task-workspace.ts';
import * as fc from '../support/properties.ts';
import { scaled } from '../support/scale.ts';
import { prepared, treeIdOf } from './prepared.ts';
import { cleanUp, git, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

/** The tree in which only checks run. */
describe('check tree', () => {
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

  test('is given to the next run only when the last one is over, even if that was aborted', async () => {
    const workspace = await prepared({ task_id: 't', repo: repository(FILES) });
    const stop = new AbortController();
    const first = await workspace.checkOut('base', stop.signal);
    if (!first.ok) throw new Error(first.failure.message);
    const order: string[] = [];
    const second = checkedOut(workspace, 'base').then((tree) => {
      order.push('second');
      return tree;
    });
    const third = workspace.checkOut('base', stop.signal);
    stop.abort();
    expect(await third).toMatchObject({ ok: false, failure: { code: 'aborted' } });
    order.push('the first is over');
    first.value.release();
    (await second).release();
    expect(order).toEqual(['the first is over', 'second']);
  });

  test('is put back before each run, whatever the last one wrote', async () => {
    const workspace = await prepared({ task_id: 't', repo: repository(FILES) });
    const first = await checkedOut(workspace, 'base');
    write(first.dir, { 'a.txt': 'by a check\n', 'new.txt': 'x', 'x.log': 'x', 'lib/y': 'x' });
    mkdirSync(join(first.dir, 'nested'));
    git(join(first.dir, 'nested'), 'init', '-q');
    writeFileSync(join(first.cacheDir, 'cached'), 'x');
    expect((await first.listUncommittedFiles()).sort()).toEqual(['a.txt', 'new.txt']);
    first.release();
    const second = await checkedOut(workspace, 'commit');
    expect(git(second.dir, 'status', '--porcelain', '--ignored')).toBe('');
    expect([existsSync(join(second.dir, 'nested')), existsSync(join(second.cacheDir, 'cached'))]).toEqual([
      false,
      false,
    ]);
    expect(await workspace.listUncommittedFiles()).toEqual([]);
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
    expect(git(trial.dir, 'log', '--format=%s')).toBe('Changes to be checked\nChanges to be checked\nfirst');
    expect(await trial.listUncommittedFiles()).toEqual([]);
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
});

/** Trees that a workspace keeps and goes back to. */
describe('keep and restore', () => {
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
      const kept = await treeIdOf(workspace);

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
      expect(await treeIdOf(workspace)).toBe(kept);
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
      const untouched = await treeIdOf(workspace);
      write(workspace.dir, { 'a.txt': 'one\n', 'one.txt': '1\n' });
      const first = await treeIdOf(workspace);
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
});

describe('round trip', () => {
  const runs = scaled({ quick: 4, full: 30 });

  /** Names that git and patches find hard; no two of one path that differ only as file and folder. */
  const name = fc.stringMatching(/^[a-z][a-z0-9 "'*?[\]\\#!~$&(){};,\n\té✓-]{0,12}[a-z0-9é]$/);
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc
      .array(fc.constantFrom('same', 'other', '', 'caf\u00e9', '\u00ff', '-- a', 'diff --git a/x b/x'), {
        maxLength: 12,
      })
      .map((lines) => Buffer.from(lines.join('\n'), 'latin1')),
  );
  const files = fc.dictionary(name, content, { maxKeys: 8 });

  describe('a patch', () => {
    test('gives back the very tree it was made from, whatever names and bytes', async () => {
      await fc.assert(
        fc.asyncProperty(files, files, async (before, after) => {
          const repo = repository(before);
          const workspace = await prepared({ task_id: 't', repo });
          for (const path of Object.keys(before)) rmSync(`${workspace.dir}/${path}`);
          write(workspace.dir, after);
          const changes = await workspace.commit('x');
          expect(changes.patch_omitted).toBeUndefined();
          const copy = temporaryFolder();
          git(copy, 'clone', '-q', repo, '.');
          if (changes.patch !== '')
            execFileSync('git', ['apply', '--index', '-'], {
              cwd: copy,
              input: changes.patch,
              stdio: ['pipe', 'ignore', 'pipe'],
            });
          expect(git(copy, 'write-tree')).toBe(
            git(workspace.dir, 'rev-parse', `${changes.head_commit}^{tree}`),
          );
        }),
        { numRuns: runs },
      );
    });
  });

  describe('names made from task ids', () => {
    test('are possible refs and single path components, and differ where ids do', () => {
      fc.assert(
        fc.property(
          fc.string({ minLength: 1, maxLength: 256, unit: 'binary' }),
          fc.string({ minLength: 1, maxLength: 256 }),
          (a, b) => {
            for (const id of [a, b]) {
              expect(toTaskName(id)).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,120}$/);
              expect(taskBranchOf(id)).not.toMatch(/\.\.|\.lock$|\.$/);
            }
            if (a !== b) expect(toTaskName(a)).not.toBe(toTaskName(b));
          },
        ),
      );
    });
  });
});

/** A pipe in the place of a file that is read: nobody waits for it. */
describe('pipes', () => {
  const pipe = (path: string): void => {
    rmSync(path, { force: true, recursive: true });
    execFileSync('mkfifo', [path]);
  };

  test.each(['HEAD', 'config', 'shallow', 'info/exclude', 'objects/info/alternates', 'index', 'packed-refs'])(
    '.git/%s of a source repository',
    async (name) => {
      const repo = repository({ 'a.txt': 'a\n' });
      execFileSync('mkdir', ['-p', join(repo, '.git/info'), join(repo, '.git/objects/info')]);
      pipe(join(repo, '.git', name));
      const startedMs = performance.now();
      const outcome = await prepareWorkspace({
        ...places(),
        task: { task_id: 't', repo },
        signal: AbortSignal.timeout(30_000),
      });
      // Without a readable HEAD it is no repository.
      if (name === 'HEAD') expect(outcome.ok).toBe(false);
      if (outcome.ok) await outcome.value.release({ keepBranch: false });
      expect(performance.now() - startedMs).toBeLessThan(20_000);
    },
  );

  test('a link to a pipe as HEAD', async () => {
    const repo = repository({ 'a.txt': 'a\n' });
    pipe(join(repo, '.git/pipe'));
    rmSync(join(repo, '.git/HEAD'));
    symlinkSync('pipe', join(repo, '.git/HEAD'));
    const outcome = await prepareWorkspace({ ...places(), task: { task_id: 't', repo } });
    expect(outcome.ok).toBe(false);
  });

  test('files that tools and the brief read', async () => {
    const dir = temporaryFolder();
    write(dir, { 'src/a.txt': 'a\n' });
    for (const name of ['.gitignore', '.git', 'package.json', 'src/.gitignore']) pipe(join(dir, name));
    expect(await readSmallFile(join(dir, 'package.json'))).toBeUndefined();
    const env = new LocalExecutionEnvironment({ workspace: dir, sandbox: 'off' });
    const signal = AbortSignal.timeout(500);
    await expect(env.glob('**/*.txt', { signal })).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(env.readFile('package.json')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    await env.cleanup();
    expect(openFolderFiles({ dir })).toBeDefined();
  });
});
