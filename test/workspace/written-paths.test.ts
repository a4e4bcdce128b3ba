/** A new file at a path that the repository ignores is part of the work if a file tool wrote it, and only then. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { LocalExecutionEnvironment } from '../../sidecar/workspace/local-environment.ts';
import { openFolderWorkspace } from '../../sidecar/workspace/folder-workspace.ts';
import type { PreparedWorkspace } from '../../sidecar/workspace/task-workspace.ts';
import { unwrapOutcome } from '../../sidecar/base/values/outcome.ts';
import { prepared, treeIdOf } from './prepared.ts';
import { cleanUp, places, repository, write } from './repositories.ts';

afterAll(cleanUp);

const IGNORES = { '.gitignore': 'lib/\ndist/\nnode_modules/\n', 'a.txt': 'one\n' };
const toolsOf = ({ dir, onWrite }: PreparedWorkspace) =>
  new LocalExecutionEnvironment({ sandbox: 'off', workspace: dir, onWrite });
const pathsOf = ({ files }: { files: { path: string }[] }) => files.map(({ path }) => path);

describe('an ignored path', () => {
  test('that a tool wrote is in tree id, checks, commit and patch; what a command left is in none', async () => {
    const workspace = await prepared({ task_id: 't', repo: repository(IGNORES) });
    const before = await treeIdOf(workspace);
    await toolsOf(workspace).writeFile('src/lib/[id].js', 'new\n');
    const written = await treeIdOf(workspace);
    write(workspace.dir, { 'dist/out.js': 'built\n' });
    expect(written).not.toBe(before);
    expect(await treeIdOf(workspace)).toBe(written);
    expect(await workspace.base.listChangedPaths()).toEqual({ ok: true, value: ['src/lib/[id].js'] });
    const checks = unwrapOutcome(await workspace.checkOut('present'));
    expect(existsSync(join(checks.dir, 'src/lib/[id].js'))).toBe(true);
    checks.release();
    const changes = await workspace.commit('work');
    expect(pathsOf(changes)).toEqual(['src/lib/[id].js']);
    expect(changes.patch).toContain('+new');
    expect(await workspace.listUncommittedFiles()).toEqual([]);
  });

  test('is put back with an earlier state, and is known to a later run of the worker', async () => {
    const at = places();
    const task = { task_id: 't', repo: repository(IGNORES) };
    const first = await prepared(task, at);
    const base = await treeIdOf(first);
    await toolsOf(first).writeFile('lib/a.js', 'new\n');
    const kept = await treeIdOf(first);
    const second = await prepared(task, at);
    await second.restore(base);
    expect(existsSync(join(second.dir, 'lib/a.js'))).toBe(false);
    await second.restore(kept);
    expect(readFileSync(join(second.dir, 'lib/a.js'), 'utf8')).toBe('new\n');
    expect(pathsOf(await second.commit('work'))).toEqual(['lib/a.js']);
  });

  test.each(['commit', 'patch'] as const)('is carried on by the %s of a follow-up', async (how) => {
    const repo = repository(IGNORES);
    const first = await prepared({ task_id: 'first', repo });
    await toolsOf(first).writeFile('lib/a.js', 'new\n');
    const { patch, head_commit: head, base_commit: base } = await first.commit('work');
    await first.publish();
    const carried =
      how === 'patch'
        ? { metadata: { follow_up_patch: patch } }
        : { base_ref: head!, metadata: { follow_up_base: base } };
    const second = await prepared({ task_id: 'second', repo, ...carried });
    write(second.dir, { 'b.txt': 'more\n', 'lib/left.js': 'left\n' });
    expect(pathsOf(await second.commit('more'))).toEqual(['b.txt', 'lib/a.js']);
  });

  test('in a scratch folder is carried on too', async () => {
    const first = await prepared({ task_id: 'first' });
    for (const [path, text] of Object.entries(IGNORES)) await toolsOf(first).writeFile(path, text);
    await toolsOf(first).writeFile('lib/a.js', 'new\n');
    const { patch } = await first.commit('work');
    const second = await prepared({ task_id: 'second', metadata: { follow_up_patch: patch } });
    expect(pathsOf(await second.commit('more'))).toEqual(['.gitignore', 'a.txt', 'lib/a.js']);
  });

  test('in a folder of dependencies is left out by name', async () => {
    const workspace = await prepared({ task_id: 't', repo: repository(IGNORES) });
    await toolsOf(workspace).writeFile('node_modules/x/index.js', 'patched\n');
    const changes = await workspace.commit('work');
    expect([changes.files, changes.patch_omitted]).toEqual([
      [],
      'left out: node_modules/x/index.js (in a folder of dependencies)',
    ]);
  });

  test('that was in the folder of the caller before stays the caller’s', async () => {
    const dir = repository(IGNORES);
    write(dir, { 'lib/own.js': 'mine\n' });
    const workspace = unwrapOutcome(await openFolderWorkspace(dir));
    const base = await treeIdOf(workspace);
    await toolsOf(workspace).writeFile('lib/own.js', 'changed\n');
    await toolsOf(workspace).writeFile('lib/new.js', 'new\n');
    expect(pathsOf(await workspace.commit('work'))).toEqual(['lib/new.js']);
    await workspace.restore(base);
    expect(readFileSync(join(dir, 'lib/own.js'), 'utf8')).toBe('changed\n');
    await workspace.release({ keepBranch: false });
  });
});

describe('a path', () => {
  test('that was ignored only after a tool wrote it is none of the work, as git has it', async () => {
    const workspace = await prepared({ task_id: 't', repo: repository(IGNORES) });
    await toolsOf(workspace).writeFile('notes.txt', 'mine\n');
    write(workspace.dir, { '.gitignore': 'notes.txt\n' });
    expect(pathsOf(await workspace.commit('work'))).toEqual(['.gitignore']);
  });
});
