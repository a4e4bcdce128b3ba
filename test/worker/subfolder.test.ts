/** A task for one folder of a repository: checks run there and paths begin there, and all of the repository is to be seen. */
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { LocalExecutionEnvironment } from '../../sidecar/workspace/local-environment.ts';
import type { TaskResult } from '../../sidecar/base/protocol/result.ts';
import { translateToSubfolder } from '../../sidecar/workspace/subfolder.ts';
import { unwrapOutcome } from '../../sidecar/base/values/outcome.ts';
import { call, chatsOf, say } from '../support/scripted-model.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { refusal } from '../support/workspace-fixture.ts';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { prepared } from '../workspace/prepared.ts';
import { cleanUp, places, repository } from '../workspace/repositories.ts';

const FILES = {
  'AGENTS.md': 'Guidance of the root.\n',
  'packages/app/a.txt': 'one\n',
  'packages/app/AGENTS.md': 'Guidance of the app.\n',
  'packages/other/x.txt': 'one more\n',
};

let system: TestSystem | undefined;
afterEach(async () => {
  cleanUp();
  await system?.cleanup.close();
  system = undefined;
});

test('tools, git and checks agree on the paths', async () => {
  const repo = join(repository(FILES), 'packages/app');
  const root = await prepared({ task_id: 't', repo });
  const { dir, subfolder, onWrite } = root;
  const env = new LocalExecutionEnvironment({ sandbox: 'off', workspace: dir, subfolder, onWrite });
  const workspace = translateToSubfolder(root);
  const text = async (path: string): Promise<string> => (await env.readFile(path)).text;
  expect(await Promise.all(['a.txt', 'packages/app/a.txt', '../other/x.txt'].map(text))).toEqual([
    'one\n',
    'one\n',
    'one more\n',
  ]);
  expect(await refusal(env.readFile('../../../a.txt'))).toBe('PATH_OUTSIDE_WORKSPACE');
  expect(await refusal(env.writeFile('../../.git/config', 'x'))).toBe('PATH_PROTECTED');
  await env.writeFile('new.txt', 'one\n');
  await env.writeFile('packages/app/deep/b.txt', 'two\n');
  expect((await env.glob('**/*.txt')).toSorted()).toEqual(['a.txt', 'deep/b.txt', 'new.txt']);
  const { matches } = await env.grep('one', { path: '../..' });
  expect(matches.map(({ path }) => path).toSorted()).toEqual(['../other/x.txt', 'a.txt', 'new.txt']);
  expect((await env.execCommand('basename "$PWD"; ls')).stdout).toBe(
    'app\nAGENTS.md\na.txt\ndeep\nnew.txt\n',
  );
  expect(unwrapOutcome(await workspace.base.listChangedPaths())).toEqual(['deep/b.txt', 'new.txt']);
  expect(unwrapOutcome(await workspace.base.listPaths())).toContain('../other/x.txt');
  const tree = unwrapOutcome(await workspace.checkOut({ withBase: ['new.txt'] }));
  const checks = await env.openTree({ dir: tree.dir, gitDirs: tree.gitDirs });
  expect((await checks.execCommand('ls')).stdout).toBe('AGENTS.md\na.txt\n');
  await checks.cleanup();
  tree.release();
  const { files } = await workspace.commit('work');
  expect(files.map(({ path }) => path)).toEqual(['packages/app/deep/b.txt', 'packages/app/new.txt']);
  await env.cleanup();
});

test.each(['path', 'field', 'metadata'] as const)(
  'a task by %s is verified there, and prompt and result say so',
  async (how) => {
    system = await startSystem({
      turns: [call('write_file', { file_path: 'new.txt', content: 'x\n' }), say('Done.')],
    });
    const repo = await sampleRepository(system.dir, FILES);
    await system.worker('w1');
    const named = {
      path: { repo: join(repo, 'packages/app') },
      field: { repo, subfolder: 'packages/app/' },
      metadata: { repo, metadata: { subfolder: './packages/app' } },
    }[how];
    const verification_steps = [
      { type: 'command_succeeds' as const, target: 'test -f new.txt && test -f a.txt' },
    ];
    const { task_id: id } = await system.client.submit({
      description: 'Add it',
      agentic: true,
      verification_steps,
      ...named,
    });
    const texts: string[] = [];
    const ended = await system.untilEnded(id, ({ body }) => void texts.push(String(body.text)));
    const result = ended.result as unknown as TaskResult;
    expect([result.verification_status, result.subfolder, result.changes.files[0]?.path]).toEqual([
      'verified',
      'packages/app',
      'packages/app/new.txt',
    ]);
    const prompt =
      chatsOf(system.model)[0]
        ?.messages.map(({ content }) => content)
        .join('\n') ?? '';
    expect(prompt).toMatch(
      /paths are relative to the folder packages\/app of the repository.*the root of the repository is \.\.\/\.\./u,
    );
    expect(prompt).toMatch(/Guidance of the root[^]*Guidance of the app/u);
    expect(texts).toContain(
      'The task works in the folder packages/app of the repository: paths are relative to this folder, and commands and checks run in it',
    );
  },
);

test.each([
  ['packages/none', 'has no folder packages/none'],
  ['../other', 'is not inside the repository'],
  ['packages/app/a.txt', 'has no folder packages/app/a.txt'],
])('the folder %s is refused', async (subfolder, message) => {
  const task = { task_id: 't', repo: repository(FILES), subfolder };
  expect(await prepareWorkspace({ ...places(), task })).toMatchObject({
    ok: false,
    failure: { code: 'workspace_folder_missing', message: expect.stringContaining(message) },
  });
});
