/** Commands by which an operator acts on tasks and workers of a hub: in this process, against a hub with a worker of its own. */
import { expect, test } from '@jest/globals';
import { testHub, type TestHub } from '../hub/hub-fixture.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { jsonLines } from './command-line.ts';
import { runInProcess } from './in-process.ts';

const folder = tempFolders();

/** Runs commands against this hub. */
function commandsFor({ hub }: TestHub) {
  const dir = folder();
  const env = {
    PATH: process.env.PATH ?? '',
    SIDECAR_STATE_DIR: dir,
    SIDECAR_HUB_API: hub.url,
    SIDECAR_HUB_API_TOKEN: 'admin-token',
  };
  return (...args: string[]) => runInProcess(args, env, dir);
}

test('a worker is drained, shown and resumed', async () => {
  const hub = await testHub();
  const run = commandsFor(hub);
  expect((await run('workers', '--no-json')).stdout).toBe('No worker has connected yet.\n');
  const worker = await hub.worker({ capacity: 2, models: ['qwen3:8b'], labels: ['gpu'] });
  const id = await hub.submit();
  await worker.accept();
  expect((await run('workers', '--no-json')).stdout).toMatch(
    /^WORKER +STATE +LOAD +MODELS +LABELS\nworker-1 +working +1\/2 +qwen3:8b +gpu\n$/u,
  );
  expect(await run('workers', 'drain', 'worker-1', '--no-json')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Worker worker-1 finishes 1 task[^]* {2}ollama-sidecar workers resume worker-1\n$/u,
    ),
  });
  expect(await worker.next('drain')).toBeDefined();
  expect((await run('workers', '--no-json')).stdout).toMatch(/^worker-1 +draining +1\/2/mu);
  await hub.call('POST', `/api/tasks/${id}/cancel`, {});
  expect((await run('workers', '--no-json')).stdout).toMatch(/^worker-1 +drained +0\/2/mu);
  expect(JSON.parse((await run('workers')).stdout)).toMatchObject([
    { agent_id: 'worker-1', draining: true, load: 0, models: ['qwen3:8b'], labels: ['gpu'] },
  ]);
  expect(await run('workers', 'resume', 'worker-1', '--no-json')).toMatchObject({
    code: 0,
    stdout: 'Worker worker-1 gets tasks again\n',
  });
  expect((await run('workers', '--no-json')).stdout).toMatch(/^worker-1 +idle +0\/2/mu);
  expect(await run('workers', 'drain', 'nobody')).toMatchObject({ code: 2 });
});

test('a task is told something while it waits, and tried again when it was given up', async () => {
  const hub = await testHub();
  const run = commandsFor(hub);
  const id = await hub.submit();
  expect(await run('steer', id, 'use tabs', '--no-json')).toMatchObject({
    code: 0,
    stdout: `The model of task ${id} gets this text before its next answer\n`,
  });
  const worker = await hub.worker();
  await worker.accept();
  expect(await worker.next('steer')).toMatchObject({ task_id: id, text: 'use tabs' });
  expect(await run('retry', id)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/this one is running/u),
  });
  await hub.call('POST', `/api/tasks/${id}/cancel`, {});
  expect(await run('steer', id, 'too late')).toMatchObject({ code: 2 });
  const again = await run('retry', id);
  expect(again.code).toBe(0);
  expect(jsonLines(again.stdout)).toMatchObject([{ task_id: id, status: 'queued' }]);
});

test('a submission names label, worker, delay and attempts; the list shows its priority', async () => {
  const hub = await testHub();
  const run = commandsFor(hub);
  const plain = await hub.submit();
  expect((await run('tasks', '--no-json')).stdout).not.toContain('PRIORITY');
  const before = Date.now();
  const options = '--label gpu --label docker --worker box --delay 90 --max-attempts 7 --priority 5';
  const submitted = await run('submit', 'x', ...options.split(' '));
  const [task] = jsonLines(submitted.stdout) as { task_id: string; not_before: number }[];
  expect(task).toMatchObject({ labels: ['docker', 'gpu'], agent_id: 'box', max_attempts: 7, priority: 5 });
  expect(task?.not_before).toBeGreaterThanOrEqual(before + 90_000);
  const { stdout } = await run('tasks', '--no-json');
  expect(stdout).toMatch(/^TASK +STATUS +PRIORITY +WORKER/u);
  expect(stdout).toMatch(new RegExp(`^${task?.task_id} +queued +5 `, 'mu'));
  expect(stdout).toMatch(new RegExp(`^${plain} +queued +– `, 'mu'));
});

test('budgets shows what was used of each, and a new task that waits for one; the list says what is not done', async () => {
  const hub = await testHub({ dailyBudgets: { hub: { maxTokens: 1_000, maxUsd: 5 } } });
  const run = commandsFor(hub);
  const worker = await hub.worker();
  const id = await hub.submit();
  worker.complete(await worker.accept(), { status: 'partial', verification_status: 'failed' });
  await worker.next('task_ack', { task_id: id, status: 'complete' });
  const { stdout } = await run('budgets', '--no-json');
  expect(stdout).toMatch(/^hub +1540 of 1000 +\$0\.00 of \$5 +used up until 00:00 UTC$/mu);
  expect(JSON.parse((await run('budgets')).stdout)).toMatchObject([{ per: 'hub', used_tokens: 1540 }]);
  expect((await run('submit', 'x', '--no-json')).stdout).toMatch(/^  waits for .*budget/mu);
  expect((await run('tasks', '--no-json')).stdout).toMatch(new RegExp(`^${id} +not done `, 'mu'));
});
