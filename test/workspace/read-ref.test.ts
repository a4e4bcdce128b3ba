import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readRef } from '../../sidecar/workspace/read-ref.ts';
import { discoverRepository } from '../../sidecar/workspace/repository-source.ts';
import { cleanUp, git, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

async function read(repo: string, name: string): Promise<string | undefined> {
  const source = await discoverRepository(repo);
  if (!source) throw new Error('expected a repository');
  return readRef(source, name);
}

describe('refs read from files', () => {
  test('are what git says of them, loose and packed', async () => {
    const repo = repository();
    git(repo, 'branch', 'feature/x');
    write(repo, { 'a.txt': 'two\n' });
    git(repo, 'commit', '-qam', 'second');
    const told = async () =>
      Promise.all(['HEAD', 'refs/heads/main', 'refs/heads/feature/x'].map((name) => read(repo, name)));
    const expected = [
      git(repo, 'rev-parse', 'HEAD'),
      git(repo, 'rev-parse', 'main'),
      git(repo, 'rev-parse', 'feature/x'),
    ];
    expect(await told()).toEqual(expected);
    git(repo, 'pack-refs', '--all');
    expect(await told()).toEqual(expected);
  });

  test('are the checked out commit where no branch is, and those of a linked worktree', async () => {
    const repo = repository();
    const first = git(repo, 'rev-parse', 'HEAD');
    write(repo, { 'a.txt': 'two\n' });
    git(repo, 'commit', '-qam', 'second');
    const linked = join(temporaryFolder(), 'linked');
    git(repo, 'worktree', 'add', '-q', '--detach', linked, first);
    expect(await read(linked, 'HEAD')).toBe(first);
    expect(await read(linked, 'refs/heads/main')).toBe(git(repo, 'rev-parse', 'main'));
  });

  test('are left to git where they are not plain', async () => {
    const repo = repository();
    const head = join(repo, '.git', 'HEAD');
    expect(await read(repo, 'refs/heads/none')).toBeUndefined();
    expect(await read(repo, 'refs/tags/v1')).toBeUndefined();
    expect(await read(repo, 'refs/heads/../../HEAD')).toBeUndefined();
    writeFileSync(head, 'ref: refs/heads/../../config\n');
    expect(await read(repo, 'HEAD')).toBeUndefined();
    writeFileSync(head, 'f'.repeat(100_000));
    expect(await read(repo, 'HEAD')).toBeUndefined();
  });

  test('are not read through a link, and a pipe holds nobody up', async () => {
    const repo = repository();
    const branch = join(repo, '.git', 'refs', 'heads', 'main');
    renameSync(branch, `${branch}.real`);
    symlinkSync(`${branch}.real`, branch);
    expect(await read(repo, 'HEAD')).toBeUndefined();
    rmSync(branch);
    execFileSync('mkfifo', [branch]);
    expect(await read(repo, 'HEAD')).toBeUndefined();
  });
});
