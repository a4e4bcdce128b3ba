import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { findForbiddenPart } from '../../sidecar/workspace/allowed-sources.ts';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { resolveSource } from '../../sidecar/workspace/repository-source.ts';
import { prepared, treeIdOf } from './prepared.ts';
import { cleanUp, git, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

/** Clones of all kinds as the repository of a task: they work, or are refused with what to do. */
describe('kinds of source', () => {
  /** A repository of three commits, and a clone of it made with these options. */
  function cloned(...options: string[]): { origin: string; clone: string } {
    const origin = repository({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
    for (const text of ['two\n', 'three\n']) {
      write(origin, { 'a.txt': text });
      git(origin, 'commit', '-qam', text.trim());
    }
    git(origin, 'config', 'uploadpack.allowFilter', 'true');
    git(origin, 'branch', 'old', 'HEAD~2');
    const clone = temporaryFolder();
    git(clone, 'clone', '-q', ...options, `file://${origin}`, '.');
    return { origin, clone };
  }

  /** A whole task on it: what is published is what the task did, on top of what was there. */
  async function works(clone: string, task: object = {}): Promise<void> {
    const workspace = await prepared({ task_id: 't', repo: clone, ...task });
    expect(readFileSync(join(workspace.dir, 'b.txt'), 'utf8')).toBe('b\n');
    write(workspace.dir, { 'b.txt': 'changed\n', 'c.txt': 'new\n' });
    const changes = await workspace.commit('Do it');
    expect(changes.files.map(({ path }) => path)).toEqual(['b.txt', 'c.txt']);
    expect(await workspace.publish()).toMatchObject({ ok: true, value: { where: 'source' } });
    await workspace.release({ keepBranch: true });
    git(clone, 'merge', '-q', 'sidecar/t');
    expect(readFileSync(join(clone, 'c.txt'), 'utf8')).toBe('new\n');
    git(clone, 'fsck', '--connectivity-only');
  }

  describe('a task on', () => {
    test.each([
      ['a shallow clone', ['--depth=1']],
      ['a clone without the content of old files', ['--filter=blob:none']],
      ['a clone without old folders', ['--filter=tree:0']],
      ['a clone of one branch', ['--single-branch']],
      ['a clone that borrows objects', ['--shared']],
      ['a clone with a separate git dir', [`--separate-git-dir=${join(temporaryFolder(), 'elsewhere.git')}`]],
    ])('%s works', async (_name, options) => {
      const { clone } = cloned(...options);
      await works(clone);
    });

    test('a linked worktree works', async () => {
      const { clone } = cloned();
      const linked = join(temporaryFolder(), 'linked');
      git(clone, 'worktree', 'add', '-q', linked);
      await works(linked);
    });

    test('a repository with SHA-256 names works', async () => {
      const repo = temporaryFolder();
      git(repo, 'init', '-q', '--object-format=sha256', '-b', 'main');
      write(repo, { 'b.txt': 'b\n' });
      git(repo, 'add', '-A');
      git(repo, 'commit', '-qm', 'first');
      await works(repo);
    });

    test('a shallow clone that got its history since works on', async () => {
      const { clone } = cloned('--depth=1');
      const shared = places();
      const first = await prepared({ task_id: 'one', repo: clone }, shared);
      await first.release({ keepBranch: false });
      git(clone, 'fetch', '-q', '--unshallow');
      const second = await prepared({ task_id: 'two', repo: clone }, shared);
      expect(git(second.dir, 'log', '--format=%s')).toBe('three\ntwo\nfirst');
    });

    test('a part of a partial clone that is not there is refused with what to do', async () => {
      const { clone } = cloned('--filter=blob:none');
      const outcome = await prepareWorkspace({
        ...places(),
        task: { task_id: 't', repo: clone, branch: 'old' },
      });
      expect(outcome).toMatchObject({
        ok: false,
        failure: {
          code: 'workspace_repo_incomplete',
          message: expect.stringContaining('Check out that commit in the clone once'),
        },
      });
      git(clone, 'checkout', '-q', 'old');
      await works(clone, { branch: 'old' });
    });
  });

  describe('submodules', () => {
    test('are empty folders, which a task is told, and work in one is named in the changes', async () => {
      const inner = repository({ 'inner.txt': 'inside\n' });
      const repo = repository();
      git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'libs/inner');
      git(repo, 'commit', '-qm', 'with a submodule');
      const workspace = await prepared({ task_id: 't', repo });
      expect(workspace.notes).toEqual([
        'submodules are not fetched: these folders are empty, write nothing into them: libs/inner',
      ]);
      expect(existsSync(join(workspace.dir, 'libs/inner/inner.txt'))).toBe(false);
      write(workspace.dir, { 'a.txt': 'two\n', 'libs/inner/new.txt': 'lost otherwise\n' });
      const changes = await workspace.commit('x');
      expect(changes.files.map(({ path }) => path)).toEqual(['a.txt']);
      expect(changes.patch_omitted).toBe(
        'left out: libs/inner/new.txt (in a submodule: submit a task for its own repository)',
      );
    });
  });

  describe('files in Git LFS', () => {
    test('are pointers, which a task is told, and stay as they are', async () => {
      const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;
      const repo = repository({
        '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
        'a.txt': 'one\n',
      });
      // As a commit of git-lfs is: the pointer is the content.
      write(repo, { 'big.bin': pointer });
      git(repo, '-c', 'filter.lfs.clean=cat', 'add', '-A');
      git(repo, 'commit', '-qm', 'with a pointer');
      const workspace = await prepared({ task_id: 't', repo });
      expect(workspace.notes).toEqual([
        'files in Git LFS are pointers here, without their content, and cannot be written: big.bin',
      ]);
      expect(readFileSync(join(workspace.dir, 'big.bin'), 'utf8')).toBe(pointer);
      write(workspace.dir, { 'a.txt': 'two\n' });
      expect((await workspace.commit('x')).files.map(({ path }) => path)).toEqual(['a.txt']);
      expect(existsSync(join(repo, 'big.bin'))).toBe(true);
    });
  });

  test('a branch that its owner has checked out is not moved under them', async () => {
    const repo = repository();
    const shared = places();
    const work = async (text: string): Promise<unknown> => {
      const workspace = await prepared({ task_id: 't', repo }, { ...shared, discardsEarlier: true });
      write(workspace.dir, { 'b.txt': text });
      await workspace.commit(text);
      const published = await workspace.publish();
      await workspace.release({ keepBranch: true });
      return published;
    };
    expect(await work('1\n')).toMatchObject({ ok: true });
    expect(await work('2\n')).toMatchObject({ ok: true });
    git(repo, 'checkout', '-q', 'sidecar/t');
    const before = git(repo, 'rev-parse', 'HEAD');
    expect(await work('3\n')).toMatchObject({
      ok: false,
      failure: { code: 'workspace_publish_failed', message: expect.stringContaining('is checked out at') },
    });
    expect(git(repo, 'rev-parse', 'HEAD')).toBe(before);
  });

  test('a bare repository is found without its `.git`, which the public hub takes off', async () => {
    const root = temporaryFolder();
    git(root, 'clone', '-q', '--bare', repository({ 'a.txt': 'one\n' }), 'shop.git');
    const { dir } = await prepared({ task_id: 't', repo: join(root, 'shop') });
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('one\n');
    expect(
      await prepareWorkspace({ ...places(), task: { task_id: 't', repo: join(root, 'other') } }),
    ).toMatchObject({
      failure: { code: 'workspace_repo_missing' },
    });
  });
});

/** `workspace.allowedRepos`: by address, and by all that git would read of a folder. */
describe('allowed sources', () => {
  describe('which repositories a worker may work on', () => {
    const allows = async (repo: string, ...globs: string[]): Promise<boolean> => {
      const source = await resolveSource(repo);
      if (!source.ok) throw new Error(source.failure.message);
      return (await findForbiddenPart(source.value, globs)) === undefined;
    };

    test('globs match the address without credentials and .git', async () => {
      expect(await allows('https://github.com/acme/app')).toBe(true);
      expect(await allows('https://x:y@github.com/acme/app.git', 'https://github.com/acme/*')).toBe(true);
      expect(await allows('https://github.com/acme/app.git', 'https://github.com/acme/app')).toBe(true);
      expect(await allows('https://github.com/acme/app', 'https://github.com/ac*')).toBe(false);
      expect(await allows('https://github.com/acme/deep/app', 'https://github.com/**')).toBe(true);
      expect(await allows('https://github.com.evil.org/acme/app', 'https://github.com/**')).toBe(false);
      expect(await allows('git@github.com:acme/app.git', 'ssh://git@github.com/acme/*')).toBe(true);
      expect(await allows('ssh://git@github.com/acme/app.git', 'ssh://git@github.com/acme/*')).toBe(true);
      expect(await allows('HTTPS://GitHub.com/acme/app', 'https://github.com/acme/*')).toBe(true);
      expect(await allows('https://github.com/acme/../other/app', 'https://github.com/acme/**')).toBe(false);
    });

    test('a local path is matched as it really is, not as it is written', async () => {
      const repo = repository();
      expect(await allows(`${repo}/../${repo.split('/').at(-1)}`, repo)).toBe(true);
      expect(await allows(repo, `${repo}-other`)).toBe(false);
    });

    describe('a folder that borrows another repository is as allowed as this one', () => {
      const root = temporaryFolder();
      const mine = join(root, 'mine');
      const theirs = join(root, 'theirs');
      for (const path of [mine, theirs]) {
        git(root, 'init', '-q', '-b', 'main', path);
        git(path, 'commit', '-q', '--allow-empty', '-m', 'first');
      }
      const foreign = join(theirs, '.git');
      const bare = (name: string): string => {
        write(mine, {
          [`${name}/HEAD`]: 'ref: refs/heads/main\n',
          [`${name}/objects/k`]: '',
          [`${name}/refs/k`]: '',
        });
        return join(mine, name);
      };
      const link = (path: string, target: string): void => {
        rmSync(path, { recursive: true, force: true });
        symlinkSync(target, path);
      };

      test.each<[string, () => string]>([
        ['a `.git` file', () => (write(mine, { 'p/.git': `gitdir: ${foreign}\n` }), join(mine, 'p'))],
        [
          'a link `.git`',
          () => (write(mine, { 'l/x': '' }), link(join(mine, 'l/.git'), foreign), join(mine, 'l')),
        ],
        ['`commondir`', () => (write(bare('c'), { commondir: foreign }), join(mine, 'c'))],
        [
          'alternates',
          () => (write(bare('a'), { 'objects/info/alternates': `${foreign}/objects\n` }), join(mine, 'a')),
        ],
        [
          'linked objects',
          () => (link(join(bare('o'), 'objects'), join(foreign, 'objects')), join(mine, 'o')),
        ],
        [
          'a linked pack',
          () => (link(join(bare('k'), 'objects/pack'), join(foreign, 'objects/pack')), join(mine, 'k')),
        ],
        [
          'linked refs',
          () => (link(join(bare('r'), 'refs/heads'), join(foreign, 'refs/heads')), join(mine, 'r')),
        ],
      ])('by %s', async (_name, make) => {
        const path = make();
        for (const repo of [path, `file://${path}`]) {
          expect(await allows(repo, `${mine}/**`, `file://${mine}/**`)).toBe(false);
          expect(await allows(repo, `${root}/**`)).toBe(true);
        }
      });

      test('by alternates in quotes, which only git reads', async () => {
        write(bare('q'), { 'objects/info/alternates': `"${foreign}/objects"\n` });
        expect(await allows(join(mine, 'q'), `${root}/**`)).toBe(false);
      });

      test('a linked worktree, a shared clone and a bare repository need only their own', async () => {
        const linked = join(root, 'linked');
        git(mine, 'worktree', 'add', '-q', linked);
        expect(await allows(linked, mine, linked)).toBe(true);
        expect(await allows(linked, linked)).toBe(false);
        git(root, 'clone', '-q', '--bare', mine, 'one.git');
        expect(await allows(join(root, 'one.git'), `${root}/*`)).toBe(true);
        git(root, 'clone', '-q', '--shared', 'one.git', 'shared');
        expect(await allows(join(root, 'shared'), `${root}/*`)).toBe(true);
        expect(await allows(join(root, 'shared'), join(root, 'shared'))).toBe(false);
      });
    });

    test('a link in the place of `commondir` makes no repository', async () => {
      const repo = repository();
      write(repo, { common: '/elsewhere' });
      symlinkSync('../common', join(repo, '.git/commondir'));
      expect((await resolveSource(repo)).ok).toBe(false);
    });
  });
});

/** What git knows of the source in a task's trees: its names, and no work that nobody did. */
describe('known of source', () => {
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
    const before = await treeIdOf(workspace);
    // As a command would that rewrites what it does not change.
    writeFileSync(join(workspace.dir, 'run.bat'), readFileSync(join(workspace.dir, 'run.bat')));
    expect(await treeIdOf(workspace)).toBe(before);
    expect((await workspace.commit('Nothing')).files).toEqual([]);
    write(workspace.dir, { 'new.txt': 'x\n' });
    const { files, head_commit: head } = await workspace.commit('Work');
    expect(files.map(({ path }) => path)).toEqual(['new.txt']);
    expect(git(workspace.dir, 'diff', '--name-only', `${head}~1`, String(head))).toBe('new.txt');
    const tree = await workspace.checkOut('commit');
    expect(tree.ok && (await tree.value.listUncommittedFiles())).toEqual([]);
    writeFileSync(join(workspace.dir, 'notes.txt'), 'one\r\nthree\r\n');
    const edited = await workspace.commit('More');
    expect(edited.files.map(({ path }) => path).sort()).toEqual(['new.txt', 'notes.txt']);
  });
});
