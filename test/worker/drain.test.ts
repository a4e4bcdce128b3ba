/** Draining: a worker finishes what it runs and takes nothing new, for as long as the operator wants. */
import { afterEach, expect, test } from '@jest/globals';
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
