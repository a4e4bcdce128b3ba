/** Draining: a worker finishes what it runs and takes nothing new, for as long as the operator wants. */
import { afterEach, expect, test } from '@jest/globals';
import type { TaskDetail } from '../../sidecar/hub-client/hub-client.ts';
import { eventually } from '../support/eventually.ts';
import { call, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

let system: TestSystem;
afterEach(() => system.cleanup.close());

const write = call('write_file', { file_path: 'done.txt', content: 'yes\n' });
const checks = [{ type: 'file_exists', target: 'done.txt' }];
const begun = (body: Record<string, unknown>) => body.tool_name === 'shell' && body.phase === 'started';

const seen = async () => (await system.client.workers())[0];

test('it stays connected, a second drain cuts nothing off, and it works again when it is resumed', async () => {
  system = await startSystem({ turns: [call('shell', { command: 'sleep 1' }), write, say('Done.')] });
  const worker = await system.worker('w');
  const { client } = system;
  const first = await client.submit({ description: 'Do it', verification_steps: checks });
  await system.untilEvent(first.task_id, begun);
  await client.drain('w', true);
  await client.drain('w', true);
  const second = await client.submit({ description: 'Do it', verification_steps: checks });
  expect(await system.untilEnded(first.task_id)).toMatchObject({ status: 'success', failures: 0 });
  expect(await client.task(second.task_id)).toMatchObject({ status: 'queued' });
  expect(await seen()).toMatchObject({ connected: true, draining: true, load: 0 });
  expect(worker.state).toBe('ready');
  await client.drain('w', false);
  expect(await system.untilEnded(second.task_id)).toMatchObject({ status: 'success' });
});

test('what it had accepted and not begun goes back at once, and uses up no attempt', async () => {
  const hold = { ...say('never'), faults: [{ kind: 'hold' as const }], repeat: 'always' as const };
  system = await startSystem({ turns: [hold] });
  const worker = await system.worker('w', {
    ollama: { slots: 1 },
    worker: { concurrency: 'auto', autoLimit: 3 },
  });
  const { client } = system;
  const submit = () => client.submit({ description: 'Do it', agentic: true });
  const tasks = [await submit(), await submit(), await submit()];
  // One call has the slot, one waits for it: the model has no use for a third task yet.
  await eventually(() => worker.load.taken === 3 && worker.load.running === 2, 'a task that waits');
  await client.drain('w', true);
  let all: TaskDetail[] = [];
  await eventually(
    () => all.some(({ status }) => status === 'queued'),
    'the task that comes back',
    async () => void (all = await Promise.all(tasks.map(({ task_id: id }) => client.task(id)))),
  );
  expect(all.map(({ status }) => status).toSorted()).toEqual(['queued', 'running', 'running']);
  expect(all.find(({ status }) => status === 'queued')).toMatchObject({
    failures: 0,
    attempts: [{ ending: 'given_back' }],
    waiting_for: expect.stringMatching(/^the wait before the next attempt|its start time$/u),
  });
  expect(worker.load).toEqual({ running: 2, taken: 2 });
  await client.drain('w', false);
  await eventually(() => worker.load.taken === 3, 'the task that comes again');
});

test('it is still drained after a restart, and can be resumed', async () => {
  system = await startSystem({ turns: [write, say('Done.')] });
  const { client } = system;
  const before = await system.worker('w');
  await client.drain('w', true);
  await before.stop();
  const worker = await system.worker('w');
  const task = await client.submit({ description: 'Do it', verification_steps: checks });
  expect(await client.task(task.task_id)).toMatchObject({
    status: 'queued',
    waiting_for: 'a worker that is not draining',
  });
  expect(worker.state).toBe('ready');
  await client.drain('w', false);
  expect(await system.untilEnded(task.task_id)).toMatchObject({ status: 'success' });
});
