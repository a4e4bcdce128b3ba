/** `workspace.allowedRepos`: by address, and by all that git would read of a folder. */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { notAllowed } from '../../sidecar/workspace/allowed-sources.ts';
import { resolveSource } from '../../sidecar/workspace/repository-source.ts';
import { cleanUp, git, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

describe('which repositories a worker may work on', () => {
  const allows = async (repo: string, ...globs: string[]): Promise<boolean> => {
    const source = await resolveSource(repo);
    if (!source.ok) throw new Error(source.failure.message);
    return (await notAllowed(source.value, globs)) === undefined;
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
      ['linked objects', () => (link(join(bare('o'), 'objects'), join(foreign, 'objects')), join(mine, 'o'))],
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
