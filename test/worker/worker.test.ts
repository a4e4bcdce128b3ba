import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { until } from '../support/until.ts';
import { call, chatsOf, say } from '../support/scripted-model.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { scaled } from '../support/scale.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';

let system: TestSystem;
afterEach(() => system.cleanup.close());

const repair: ScenarioInput = {
  turns: [
    call('read_file', { file_path: 'a.txt' }),
    call('edit_file', { file_path: 'a.txt', old_string: 'bad', new_string: 'good' }),
    say('Repaired.'),
  ],
};

describe('a worker and a hub', () => {
  test('a task on a repository ends in an acknowledged result and a branch', async () => {
    system = await startSystem(repair);
    const repo = await sampleRepository(system.dir);
    await system.worker('w1');
    const task = await system.finish({
      repo,
      verification_steps: [{ type: 'file_contains', target: 'a.txt', contains: 'good' }],
    });
    expect(task.status).toBe('success');
    expect(task.result).toMatchObject({ verification_status: 'verified', output: 'Repaired.' });
    const branch = `sidecar/${task.task_id}`;
    const shown = await execa('git', ['show', `${branch}:a.txt`], { cwd: repo });
    expect(shown.stdout).toBe('good');
    expect((await execa('git', ['status', '--porcelain'], { cwd: repo })).stdout).toBe('');
  });

  test('submodules are said to be missing, on the timeline and to the model', async () => {
    system = await startSystem(repair);
    const inner = await sampleRepository(system.dir, {}, 'inner');
    const repo = await sampleRepository(system.dir);
    const git = (...args: string[]) =>
      execa(
        'git',
        ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always', ...args],
        {
          cwd: repo,
        },
      );
    await git('submodule', '--quiet', 'add', inner, 'libs/inner');
    await git('commit', '-qm', 'with a submodule');
    await system.worker('w1');
    const { task_id: id } = await system.finish({ repo });
    const [first] = chatsOf(system.model);
    expect(first?.messages[1]?.content).toContain(
      'these folders are empty, write nothing into them: libs/inner',
    );
    const said: string[] = [];
    await system.untilEnded(id, ({ body }) => {
      if (body.event_type === 'status') said.push(String(body.text));
    });
    expect(said).toContainEqual(
      expect.stringMatching(/^Warning: submodules are not fetched.*: libs\/inner$/u),
    );
  });

  test('two workers, many tasks at once: each is done exactly once', async () => {
    const count = scaled({ quick: 8, full: 20 });
    system = await startSystem(repair);
    const repo = await sampleRepository(system.dir);
    await Promise.all([
      system.worker('w1', { worker: { concurrency: 2 } }),
      system.worker('w2', { worker: { concurrency: 2 } }),
    ]);
    const submitted = await Promise.all(
      Array.from({ length: count }, (_value, index) =>
        system.client.submit({ description: `Repair ${index}`, repo }),
      ),
    );
    const tasks = await Promise.all(submitted.map(({ task_id }) => system.untilEnded(task_id)));
    expect(tasks.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'success'));
    expect(new Set(tasks.map(({ worker_id }) => worker_id))).toEqual(new Set(['w1', 'w2']));
    const firstTurns = chatsOf(system.model).filter(({ messages }) => messages.length === 2);
    expect(firstTurns).toHaveLength(count);
    const branches = await execa('git', ['branch', '--list', 'sidecar/*'], { cwd: repo });
    expect(branches.stdout.trim().split('\n')).toHaveLength(count);
    const folders = () =>
      readdirSync(join(system.dir, 'w1', 'worktrees')).filter((name) => !name.startsWith('.'));
    await until(() => folders().length === 0, 'the workspaces to be removed');
  });

  test('cancelling stops the model call and the command', async () => {
    system = await startSystem({ turns: [call('shell', { command: 'sleep 300', timeout_ms: 400_000 })] });
    const repo = await sampleRepository(system.dir);
    await system.worker('w1');
    const { task_id: id } = await system.client.submit({ description: 'x', repo });
    await system.untilEvent(id, ({ phase }) => phase === 'started');
    await system.client.cancel(id);
    expect((await system.untilEnded(id)).status).toBe('cancelled');
  });

  test('a task for another kind of worker is refused at once with the reason', async () => {
    system = await startSystem(repair);
    await system.worker('w1');
    const task = await system.finish({ routing_decision: { target_type: 'claude' } });
    expect(task.status).toBe('dead_letter');
    expect(task.error).toBe('unsupported_target_type:claude');
  });

  test('a repository that is not there fails the task with what to do', async () => {
    system = await startSystem(repair);
    await system.worker('w1');
    const task = await system.finish({ repo: '/nowhere/at/all' });
    expect(task.error).toMatch(/^workspace_repo_missing: /u);
  });

  test('a task that wants a model which no worker has waits, and says for what', async () => {
    system = await startSystem(repair);
    await system.worker('w1');
    const { task_id: id } = await system.client.submit({ description: 'x', model: 'nope:1b' });
    expect((await system.client.task(id)).waiting_for).toContain('nope:1b');
  });
});
