import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createProtection } from '../../sidecar/workspace/files/protected-paths.ts';
import type { PrepareOptions } from '../../sidecar/workspace/prepare-workspace.ts';
import { prepared, treeIdOf } from './prepared.ts';
import { cleanUp, git, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

const workspaceOf = (repo: string, more: Partial<PrepareOptions> = {}, task: object = {}) =>
  prepared({ task_id: 't', repo, ...task }, more);

/** A program that leaves a file when anything runs it. */
function trap(): { command: string; sprung: () => boolean } {
  const folder = temporaryFolder();
  const mark = join(folder, 'sprung');
  const command = join(folder, 'trap.sh');
  writeFileSync(command, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
  return { command, sprung: () => existsSync(mark) };
}

const allHooks = [
  'post-checkout',
  'pre-commit',
  'post-commit',
  'commit-msg',
  'prepare-commit-msg',
  'post-index-change',
  'reference-transaction',
  'pre-push',
  'update',
  'pre-receive',
  'post-receive',
  'post-merge',
  'pre-auto-gc',
];

/** Everything that a `.git` can be made to run, planted in a git dir. */
function plant(gitDir: string, command: string): void {
  mkdirSync(join(gitDir, 'hooks'), { recursive: true });
  for (const hook of allHooks)
    writeFileSync(join(gitDir, 'hooks', hook), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  const settings = {
    'core.fsmonitor': command,
    'core.pager': command,
    'core.editor': command,
    'diff.external': command,
    'diff.evil.textconv': command,
    'diff.evil.command': command,
    'filter.evil.clean': command,
    'filter.evil.smudge': command,
    'filter.evil.process': command,
    'gpg.program': command,
    'commit.gpgSign': 'true',
    'uploadpack.packObjectsHook': command,
    'core.alternateRefsCommand': command,
  };
  for (const [key, value] of Object.entries(settings)) {
    execFileSync('git', ['config', '--file', join(gitDir, 'config'), key, value]);
  }
}

describe('nothing of a repository runs on the host', () => {
  test('filters that the source configures in another file', async () => {
    const { command, sprung } = trap();
    const repo = repository({ '.gitattributes': '* filter=evil\n', 'a.txt': 'one\n' });
    const included = join(temporaryFolder(), 'config');
    execFileSync('git', ['config', '--file', included, 'filter.evil.clean', command]);
    git(repo, 'config', 'include.path', included);
    write(repo, { 'a.txt': 'edited\n' });
    const workspace = await workspaceOf(repo);
    expect(await workspace.sourceDirty).toBe(true);
    expect(sprung()).toBe(false);
  });

  test('hooks, fsmonitor, filters and drivers configured in the source', async () => {
    const { command, sprung } = trap();
    const repo = repository({ '.gitattributes': '* filter=evil diff=evil\n', 'a.txt': 'one\n' });
    plant(join(repo, '.git'), command);
    const workspace = await workspaceOf(repo);
    write(workspace.dir, { 'a.txt': 'two\n', 'b.txt': 'new\n' });
    await treeIdOf(workspace);
    await workspace.commit('x');
    await workspace.listUncommittedFiles();
    expect(await workspace.publish()).toMatchObject({ ok: true, value: { where: 'source' } });
    await workspace.release({ keepBranch: true });
    expect(sprung()).toBe(false);
    // The trap is a real one: git as a person runs it walks into it.
    git(repo, 'status');
    expect(sprung()).toBe(true);
  });

  test('a git dir that the task put in the place of `.git`', async () => {
    const { command, sprung } = trap();
    const workspace = await workspaceOf(
      repository({ '.gitattributes': '* filter=evil diff=evil\n', 'a.txt': 'one\n' }),
    );
    rmSync(join(workspace.dir, '.git'));
    git(workspace.dir, 'init', '-q');
    plant(join(workspace.dir, '.git'), command);
    write(workspace.dir, { 'a.txt': 'two\n' });
    await treeIdOf(workspace);
    expect((await workspace.commit('x')).files).toEqual([
      { path: 'a.txt', status: 'modified', additions: 1, deletions: 1 },
    ]);
    expect(sprung()).toBe(false);
  });

  test('a `.git` file that the task pointed elsewhere', async () => {
    const other = repository({ 'other.txt': 'x' });
    const workspace = await workspaceOf(repository());
    writeFileSync(join(workspace.dir, '.git'), `gitdir: ${join(other, '.git')}\n`);
    write(workspace.dir, { 'a.txt': 'two\n' });
    expect((await workspace.commit('x')).files.map(({ path }) => path)).toEqual(['a.txt']);
    expect(git(other, 'log', '--format=%s', '--all')).toBe('first');
  });

  test('a submodule whose git dir the task made', async () => {
    const { command, sprung } = trap();
    const inner = repository();
    const repo = repository();
    git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    git(repo, 'commit', '-qm', 'with a submodule');
    const workspace = await workspaceOf(repo);
    git(join(workspace.dir, 'sub'), 'init', '-q');
    git(join(workspace.dir, 'sub'), 'commit', '-q', '--allow-empty', '-m', 'inner');
    plant(join(workspace.dir, 'sub', '.git'), command);
    write(workspace.dir, { 'a.txt': 'two\n', 'sub/x.txt': 'not part of a task' });
    await treeIdOf(workspace);
    const changes = await workspace.commit('x');
    expect(changes.files.map(({ path }) => path)).toEqual(['a.txt']);
    await workspace.commit('again');
    await workspace.listUncommittedFiles();
    expect(sprung()).toBe(false);
    expect(git(workspace.dir, 'ls-tree', changes.head_commit!, 'sub')).toMatch(/^160000 commit/);
  });

  test('configuration planted in the cache is written anew before it is used', async () => {
    const { command, sprung } = trap();
    const workspace = await workspaceOf(
      repository({ '.gitattributes': '* diff=evil filter=evil\n', 'a.txt': 'one\n' }),
    );
    plant(workspace.gitDirs[0]!, command);
    write(workspace.dir, { 'a.txt': 'two\n' });
    await workspace.commit('x');
    expect(sprung()).toBe(false);
    expect(readFileSync(join(workspace.gitDirs[0]!, 'config'), 'utf8')).not.toContain('evil');
  });
});

describe('hostile content costs at most itself', () => {
  test('files of a repository made inside the folder are the work too', async () => {
    const { command, sprung } = trap();
    const workspace = await workspaceOf(repository());
    write(workspace.dir, {
      'app/src/index.js': '1\n',
      'app/.gitignore': 'dist\n',
      'app/dist/x': 'built',
      'app/deep/y': '2\n',
    });
    git(join(workspace.dir, 'app'), 'init', '-q');
    git(join(workspace.dir, 'app', 'deep'), 'init', '-q');
    plant(join(workspace.dir, 'app', '.git'), command);
    const before = await treeIdOf(workspace);
    const changes = await workspace.commit('x');
    expect(changes.files.map(({ path }) => path)).toEqual([
      'app/.gitignore',
      'app/deep/y',
      'app/src/index.js',
    ]);
    write(workspace.dir, { 'app/deep/y': '3\n' });
    expect(await treeIdOf(workspace)).not.toBe(before);
    expect((await workspace.commit('y')).files).toHaveLength(3);
    expect(sprung()).toBe(false);
  });

  test('names with spaces, quotes, newlines, unicode and bytes that are no UTF-8', async () => {
    const workspace = await workspaceOf(repository());
    const names = [
      'with space.txt',
      'new\nline.txt',
      'quote"s\t.txt',
      'grüße-✓.txt',
      '-dash.txt',
      ':(glob)*.txt',
      'a\\b.txt',
    ];
    write(workspace.dir, Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    writeFileSync(
      Buffer.concat([Buffer.from(`${workspace.dir}/`), Buffer.from([0x66, 0xff, 0xfe])]),
      'latin\n',
    );
    const changes = await workspace.commit('x');
    expect(changes.files.map(({ path }) => path).sort()).toEqual([...names, 'f\uFFFD\uFFFD'].sort());
    const copy = temporaryFolder();
    git(copy, 'init', '-q');
    write(copy, { 'a.txt': 'one\n' });
    git(copy, 'add', '-A');
    execFileSync('git', ['apply', '--index', '-'], { cwd: copy, input: changes.patch });
    expect(git(copy, 'write-tree')).toBe(git(workspace.dir, 'rev-parse', `${changes.head_commit}^{tree}`));
  });

  test('a name that git refuses is left out and named, the rest is kept', async () => {
    const workspace = await workspaceOf(repository());
    write(workspace.dir, { 'GIT~1/config': 'x', '.git\u200c/config': 'x', 'good.txt': 'y\n' });
    symlinkSync('/etc/passwd', join(workspace.dir, '.gitmodules'));
    const changes = await workspace.commit('x');
    expect(changes.files.map(({ path }) => path)).toEqual(['good.txt']);
    expect(changes.patch_omitted).toBe(
      'left out: .gitmodules (a dangerous name), .git\u200c/config (a dangerous name), GIT~1/config (a dangerous name)',
    );
  });

  test('links are kept as links, whatever they point to', async () => {
    const workspace = await workspaceOf(repository());
    symlinkSync('/etc/passwd', join(workspace.dir, 'link'));
    symlinkSync('/etc', join(workspace.dir, 'folder-link'));
    const before = await treeIdOf(workspace);
    const changes = await workspace.commit('x');
    expect(changes.patch).toContain('new file mode 120000');
    expect(changes.patch).not.toContain('root:');
    rmSync(join(workspace.dir, 'link'));
    symlinkSync('/etc/hostname', join(workspace.dir, 'link'));
    expect(await treeIdOf(workspace)).not.toBe(before);
  });

  test('a link in the place of a submodule does not list what it leads to', async () => {
    const inner = repository();
    const repo = repository();
    git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'libs/sub');
    git(repo, 'commit', '-qm', 'with a submodule');
    const host = temporaryFolder();
    write(host, { 'private.txt': 'x', 'sub/inside.txt': 'x' });
    for (const place of ['libs/sub', 'libs']) {
      const workspace = await workspaceOf(repo);
      rmSync(join(workspace.dir, place), { recursive: true });
      symlinkSync(host, join(workspace.dir, place));
      expect(JSON.stringify(await workspace.commit('x'))).not.toMatch(/private|inside/u);
    }
  });

  test('a folder that becomes a link is one', async () => {
    const workspace = await workspaceOf(
      repository({ 'old/x.txt': '1\n', 'old/deep/y.txt': '2\n', 'new/x.txt': '3\n' }),
    );
    rmSync(join(workspace.dir, 'old'), { recursive: true });
    symlinkSync('new', join(workspace.dir, 'old'));
    const changes = await workspace.commit('x');
    const tree = git(workspace.dir, 'ls-tree', '-r', '--format=%(objectmode) %(path)', changes.head_commit!);
    expect(tree.split('\n')).toEqual(['100644 new/x.txt', '120000 old']);
    expect(changes.patch_omitted).toBeUndefined();
  });

  test('protected files stay as the base has them, however they were changed', async () => {
    const repo = repository({ 'conf/deep/.env': 'KEY=1\n', 'conf/a.txt': '1\n', 'b/.env': 'KEY=2\n' });
    const protection = createProtection();
    const workspace = await prepared({ task_id: 't', repo }, { protectionOf: protection });
    renameSync(join(workspace.dir, 'conf'), join(workspace.dir, 'moved'));
    write(workspace.dir, { 'conf/deep/.env': 'KEY=mine\n', 'new.pem': 'x' });
    rmSync(join(workspace.dir, 'b'), { recursive: true });
    const changes = await workspace.commit('x');
    const tree = git(workspace.dir, 'ls-tree', '-r', '--name-only', changes.head_commit!);
    expect(tree.split('\n')).toEqual(['b/.env', 'conf/deep/.env', 'moved/a.txt']);
    expect(git(workspace.dir, 'show', `${changes.head_commit}:conf/deep/.env`)).toBe('KEY=1');
    expect(changes.patch_omitted).toBe(
      'left out: b/.env (protected: .env*), conf/deep/.env (protected: .env*), moved/deep/.env (protected: .env*), new.pem (protected: *.pem)',
    );
    expect(await workspace.listUncommittedFiles()).toEqual([]);
  });

  test('a file in the place of a folder takes no protected one away', async () => {
    const repo = repository({ 'conf/deep/.env': 'KEY=1\n', 'conf/a.txt': '1\n' });
    const workspace = await prepared({ task_id: 't', repo }, { protectionOf: createProtection() });
    rmSync(join(workspace.dir, 'conf'), { recursive: true });
    write(workspace.dir, { conf: 'a file\n' });
    const { head_commit: head, patch_omitted: omitted } = await workspace.commit('x');
    expect(git(workspace.dir, 'ls-tree', '-r', '--name-only', head!)).toBe('conf/deep/.env');
    expect(omitted).toBe('left out: conf (protected: .env*), conf/deep/.env (protected: .env*)');
  });

  test('a file of a terabyte does not keep the comparison busy', async () => {
    const workspace = await workspaceOf(repository());
    write(workspace.dir, { 'huge.bin': '' });
    const before = await treeIdOf(workspace);
    truncateSync(join(workspace.dir, 'huge.bin'), 2 ** 40);
    const after = await treeIdOf(workspace);
    expect(after).not.toBe(before);
    expect(await treeIdOf(workspace)).toBe(after);
  });

  test('pipes do not hang it, a file may become a folder and a folder a file', async () => {
    const workspace = await workspaceOf(
      repository({ 'file.txt': '1\n', 'dir/x.txt': '2\n', 'pipe.txt': '3\n' }),
    );
    for (const path of ['file.txt', 'dir', 'pipe.txt'])
      rmSync(join(workspace.dir, path), { recursive: true });
    write(workspace.dir, { 'file.txt/inner.txt': '1\n', dir: 'now a file\n' });
    execFileSync('mkfifo', [join(workspace.dir, 'pipe.txt'), join(workspace.dir, 'new-pipe')]);
    await treeIdOf(workspace);
    const changes = await workspace.commit('x');
    const tree = git(workspace.dir, 'ls-tree', '-r', '--name-only', changes.head_commit!);
    expect(tree.split('\n')).toEqual(['dir', 'file.txt/inner.txt']);
  });

  test('pipes with the names of files that git reads by itself are taken for empty ones', async () => {
    const workspace = await workspaceOf(repository());
    mkdirSync(join(workspace.dir, 'sub'));
    const names = ['.gitattributes', 'sub/.gitignore', 'sub/.gitattributes'];
    execFileSync(
      'mkfifo',
      names.map((name) => join(workspace.dir, name)),
    );
    write(workspace.dir, { 'sub/new.txt': 'new\n' });
    const changes = await workspace.commit('x');
    expect(changes.files.map(({ path }) => path)).toEqual(['sub/new.txt']);
  });

  test('attributes cannot re-encode, filter or fail a commit', async () => {
    const workspace = await workspaceOf(repository());
    write(workspace.dir, {
      '.gitattributes': '* working-tree-encoding=UTF-16 filter=missing ident\n',
      'a.txt': 'plain $Id$\n',
    });
    const { head_commit: head } = await workspace.commit('x');
    expect(git(workspace.dir, 'show', `${head}:a.txt`)).toBe('plain $Id$');
  });

  test('a patch that is too large is left out with the reason, the commit has it', async () => {
    const workspace = await workspaceOf(repository());
    write(workspace.dir, {
      'big.txt': Array.from({ length: 60_000 }, (_, line) => `line ${line}`).join('\n'),
    });
    const changes = await workspace.commit('x');
    expect(changes).toMatchObject({ patch: '', patch_omitted: 'the patch is larger than 393216 bytes' });
    expect(changes.files).toMatchObject([{ path: 'big.txt', additions: 60_000 }]);
  });

  test('a file beyond the size limit is not committed, and the changes say so', async () => {
    const workspace = await workspaceOf(repository());
    write(workspace.dir, { 'huge.bin': '', 'small.txt': 'x\n' });
    truncateSync(join(workspace.dir, 'huge.bin'), 600 * 1024 * 1024);
    const changes = await workspace.commit('x');
    expect(changes.files.map(({ path }) => path)).toEqual(['small.txt']);
    expect(changes.patch_omitted).toContain('huge.bin');
  });

  test('a diff shows names in their own letters', async () => {
    const repo = repository({ 'grüße.txt': 'eins\n' });
    const workspace = await workspaceOf(repo);
    write(workspace.dir, { 'grüße.txt': 'zwei\n', '日本.md': 'neu\n' });
    const { patch } = await workspace.commit('work');
    expect(patch).toContain('diff --git a/grüße.txt b/grüße.txt');
    expect(patch).toContain('+++ b/日本.md');
  });

  test('text that is not UTF-8 is carried byte for byte', async () => {
    const repo = repository({ 'latin.txt': Buffer.from('caf\xe9\n', 'latin1'), 'plain.txt': 'a\n' });
    const workspace = await workspaceOf(repo);
    write(workspace.dir, { 'latin.txt': Buffer.from('caf\xe9 cr\xe8me\n', 'latin1'), 'plain.txt': 'b\n' });
    const changes = await workspace.commit('x');
    expect(changes.patch).toContain('-a\n+b\n');
    execFileSync('git', ['apply', '--index', '-'], { cwd: repo, input: changes.patch });
    expect(git(repo, 'write-tree')).toBe(git(workspace.dir, 'rev-parse', `${changes.head_commit}^{tree}`));
  });

  test('folders that the task closed are removed all the same', async () => {
    const workspace = await workspaceOf(repository());
    write(workspace.dir, { 'closed/x/y.txt': 'x' });
    chmodSync(join(workspace.dir, 'closed', 'x'), 0);
    chmodSync(join(workspace.dir, 'closed'), 0);
    await workspace.release({ keepBranch: false });
    expect(existsSync(workspace.dir)).toBe(false);
  });
});

describe('names', () => {
  test.each(['../../etc', '-rf', 'x.lock', 'ü', 'a'.repeat(256), '@{u}'])(
    'task id %j gives a branch and a folder of its own',
    async (taskId) => {
      const shared = places();
      const repo = repository();
      const workspace = await workspaceOf(repo, shared, { task_id: taskId });
      expect(workspace.dir.startsWith(`${shared.worktreesDir}/`)).toBe(true);
      git(repo, 'check-ref-format', `refs/heads/${workspace.branch}`);
      write(workspace.dir, { 'b.txt': 'x' });
      await workspace.commit(taskId);
      expect(await workspace.publish()).toMatchObject({ ok: true });
    },
  );

  test('a branch with slashes and unicode is found', async () => {
    const repo = repository();
    git(repo, 'branch', 'feature/grüße/#1');
    expect((await workspaceOf(repo, {}, { branch: 'feature/grüße/#1' })).branch).toBe('sidecar/t');
  });
});
