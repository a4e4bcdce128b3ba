import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { howToTake, takeFrom } from '../../sidecar/cli/take-work.ts';
import { prepared } from '../workspace/prepared.ts';
import { cleanUp, git, repository, temporaryFolder, write } from '../workspace/repositories.ts';

afterAll(cleanUp);

/** Does a task's work on `repo` and gives the commands that are told. */
async function told(repo: string): Promise<{ intro: string; commands: string[] }> {
  const dataDir = temporaryFolder();
  const options = { cacheDir: join(dataDir, 'repositories'), worktreesDir: temporaryFolder() };
  const workspace = await prepared({ task_id: 't', repo }, options);
  write(workspace.dir, { 'new.txt': 'new\n' });
  await workspace.commit('work');
  await workspace.publish();
  await workspace.release({ keepBranch: true });
  const take = await howToTake(repo, { worker: { dataDir } as never });
  if (!take) throw new Error('no way was found');
  return take('sidecar/t');
}

const run = (command: string, cwd: string): string =>
  execFileSync('sh', ['-c', command], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: 't',
      GIT_AUTHOR_EMAIL: 't@t',
      GIT_COMMITTER_NAME: 't',
      GIT_COMMITTER_EMAIL: 't@t',
    },
  });

describe('the commands that are told for the work of a task', () => {
  test('merge it into a work tree', async () => {
    const repo = repository();
    const { commands } = await told(repo);
    expect(commands).toEqual([`git -C ${repo} merge sidecar/t`]);
    run(commands[0] ?? '', '/');
    expect(git(repo, 'ls-files')).toContain('new.txt');
  });

  test('show it in a bare repository, and pull it into a clone', async () => {
    const folder = temporaryFolder();
    const bare = join(folder, 'x.git');
    const clone = join(folder, 'clone');
    git(folder, 'clone', '-q', '--bare', repository(), bare);
    git(folder, 'clone', '-q', bare, clone);
    const { commands } = await told(bare);
    expect(commands).toHaveLength(2);
    expect(run(commands[0] ?? '', '/')).toContain('+new');
    run(commands[1] ?? '', clone);
    expect(git(clone, 'ls-files')).toContain('new.txt');
  });

  test('pull it from the cache where the repository is a remote one', async () => {
    const folder = temporaryFolder();
    const origin = repository();
    const clone = join(folder, 'clone');
    git(folder, 'clone', '-q', origin, clone);
    const { commands } = await told(`file://${origin}`);
    expect(commands).toEqual([expect.stringMatching(/^git pull --no-rebase \S+\.git sidecar\/t$/u)]);
    run(commands[0] ?? '', clone);
    expect(git(clone, 'ls-files')).toContain('new.txt');
  });

  test.each([false, true])(
    'pull it from the cache where it could not be put there (bare: %s)',
    async (bare) => {
      const folder = temporaryFolder();
      const repo = join(folder, 'repository');
      git(folder, 'clone', '-q', ...(bare ? ['--bare'] : []), repository(), repo);
      // A branch of this name leaves no room for `sidecar/t`.
      git(repo, 'branch', 'sidecar');
      const { intro, commands } = await told(repo);
      expect(intro).toMatch(/^It is not in the repository/u);
      const clone = bare ? join(folder, 'clone') : repo;
      if (bare) git(folder, 'clone', '-q', repo, clone);
      run(commands[0] ?? '', bare ? clone : '/');
      expect(git(clone, 'ls-files')).toContain('new.txt');
    },
  );

  test('are words for a shell, whatever the folder is called', () => {
    const path = "/my repo's";
    const source = {
      kind: 'local' as const,
      path,
      gitDir: path,
      commonDir: path,
      workTree: path,
      identity: path,
    };
    expect(takeFrom(source, '/cache', { branch: 'sidecar/t', isThere: true }).commands).toEqual([
      `git -C '/my repo'\\''s' merge sidecar/t`,
    ]);
  });
});
