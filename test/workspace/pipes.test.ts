/** A pipe in the place of a file that is read: nobody waits for it. */
import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { folderFiles } from '../../sidecar/brief/folder-files.ts';
import { LocalExecutionEnvironment } from '../../sidecar/local-environment.ts';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { readSmall } from '../../sidecar/system/small-file.ts';
import { cleanUp, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);
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
  expect(await readSmall(join(dir, 'package.json'))).toBeUndefined();
  const env = new LocalExecutionEnvironment({ workspace: dir, sandbox: 'off' });
  expect(await env.glob('**/*.txt')).toEqual(['src/a.txt']);
  await expect(env.readFile('package.json')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
  await env.cleanup();
  expect(folderFiles({ dir })).toBeDefined();
});
