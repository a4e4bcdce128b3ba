import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { stageContent } from '../../sidecar/files/file-write.ts';
import { prepared } from './prepared.ts';
import { cleanUp, places, repository, write } from './repositories.ts';

afterAll(cleanUp);

/** Leaves what a worker leaves that is killed between writing new content and renaming it into place. */
async function killedWhileWriting(workspace: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const folder = join(workspace, dirname(path));
    mkdirSync(folder, { recursive: true });
    const open = { entry: (name: string) => join(folder, name), close: () => Promise.resolve() };
    await stageContent(open, basename(path), Buffer.from('never renamed'), undefined);
  }
}

const temporaryIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.write-[0-9a-f]{16}\.tmp$/u.test(path),
  );

describe.each([
  ['a worktree', () => ({ task_id: 't', repo: repository({ 'a.txt': 'one\n', '.gitignore': 'built/\n' }) })],
  ['a scratch folder', () => ({ task_id: 't' })],
])('what a killed worker left of a write in %s', (_name, taskOf) => {
  const where = places();
  const task = taskOf();
  const prepare = () => prepared(task, where);

  test('is not committed, and is gone when the next life takes the workspace over', async () => {
    const workspace = await prepare();
    const { dir } = workspace;
    write(dir, {
      'done.txt': 'done\n',
      '.write-notes.tmp': 'mine\n',
      'built/b.txt': 'ignored by the repository\n',
    });
    const before = await workspace.fingerprint();
    await killedWhileWriting(dir, ['a.txt', 'sub/new.txt', 'built/c.txt']);
    expect(temporaryIn(dir)).toHaveLength(3);
    expect(await workspace.fingerprint()).toBe(before);
    const paths = (await workspace.commit('Do it')).files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['.write-notes.tmp', 'done.txt']));
    expect(paths.filter((path) => path.includes('.write-'))).toEqual(['.write-notes.tmp']);

    const again = await prepare();
    expect(again).toMatchObject({ adopted: true, dir });
    expect(temporaryIn(dir)).toEqual([]);
    expect(existsSync(join(dir, '.write-notes.tmp'))).toBe(true);
  });
});
