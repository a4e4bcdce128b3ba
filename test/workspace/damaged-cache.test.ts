/** A cache that a power cut damaged: the next task makes a new one, and says where the old one is. */
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { pruneWorkspaces } from '../../sidecar/workspace/prune-workspaces.ts';
import { prepared } from './prepared.ts';
import { cleanUp, git, places, repository } from './repositories.ts';

afterAll(cleanUp);

const packsOf = (cache: string) => {
  const folder = join(cache, 'objects/pack');
  return readdirSync(folder).map((name) => join(folder, name));
};

test.each<[string, (cache: string, repo: string) => void]>([
  ['its packs are cut short', (cache) => packsOf(cache).forEach((path) => truncateSync(path, 40))],
  ['its packs are gone', (cache) => packsOf(cache).forEach((path) => rmSync(path))],
  [
    'its configuration and HEAD are empty',
    (cache) => ['config', 'HEAD'].forEach((name) => writeFileSync(join(cache, name), '')),
  ],
  [
    'the repository has ids of another kind now',
    (_cache, repo) => {
      rmSync(join(repo, '.git'), { recursive: true });
      git(repo, 'init', '-q', '--object-format=sha256', '-b', 'main');
      git(repo, 'add', '-A');
      git(repo, 'commit', '-qm', 'anew');
    },
  ],
])('a task finds that %s', async (_name, damage) => {
  const at = places();
  const repo = repository();
  const first = await prepared({ task_id: 'first', repo }, at);
  const cache = first.gitDirs[0]!;
  await first.release({ keepBranch: false });
  damage(cache, repo);
  const second = await prepared({ task_id: 'second', repo }, at);
  expect(readFileSync(join(second.dir, 'a.txt'), 'utf8')).toBe('one\n');
  expect(second.warnings).toEqual([
    expect.stringMatching(
      /^the worker's copy of the repository was damaged \(.+\)\. It was created again; the damaged copy is at \S+\.damaged-\d+$/u,
    ),
  ]);
  expect((await prepared({ task_id: 'third', repo }, at)).warnings).toEqual([]);
  const options = { ...at, activeTasks: new Set<string>() };
  await pruneWorkspaces({ ...options, maxAgeMs: -60_000 });
  expect(readdirSync(at.cacheDir).filter((name) => name.includes('damaged'))).toEqual([]);
});

test('a sound cache stays where another failure is the cause', async () => {
  const at = places();
  const repo = repository();
  const url = `file://${repo}`;
  await prepared({ task_id: 'first', repo: url }, at);
  rmSync(repo, { recursive: true });
  const task = { task_id: 'second', repo: url };
  expect(await prepareWorkspace({ ...at, task })).toMatchObject({
    ok: false,
    failure: { code: 'workspace_fetch_failed' },
  });
  expect(readdirSync(at.cacheDir).filter((name) => name.includes('damaged'))).toEqual([]);
});
