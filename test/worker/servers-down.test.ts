/** A worker whose model server is down: its hub gives it nothing, and others do what it cannot. */
import { afterEach, expect, test } from '@jest/globals';
import type { HubOptions } from '../../sidecar/hub/hub.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { startScriptedModel } from '../../sidecar/model/scripted/server.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock, unhurriedCalls } from '../support/manual-clock.ts';
import { call, chatsOf, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

let system: TestSystem | undefined;
afterEach(async () => {
  await system?.cleanup.close();
  system = undefined;
});

const look = call('list_directory', { path: '.' });
const write = call('write_file', { file_path: 'done.txt', content: 'x' });
const silent = { ...say('never'), faults: [{ kind: 'hold' as const }] };
const able: ScenarioInput = { models: [{ name: 'm' }], turns: [write, say('All done.')] };
const task = {
  description: 'Do it',
  agentic: true,
  verification_steps: [{ type: 'file_exists', target: 'done.txt' }],
};
const told = (part: string) => (body: Record<string, unknown>) => JSON.stringify(body).includes(part);

/** A worker with a clock of its own, which has the task when its model server dies after its first turn. */
async function outage(firstTurn: typeof look, hub: HubOptions = {}) {
  const started = (system = await startSystem({ turns: [firstTurn, silent] }, hub));
  const { client, model, cleanup } = started;
  const clock = new ManualClock(Date.now());
  await started.worker('down', { ollama: unhurriedCalls }, clock);
  const { task_id: taskId } = await client.submit(task);
  await eventually(() => chatsOf(model).length === 2, 'the second question');
  await model.close();
  await started.untilEvent(taskId, told('On hold'));
  /** A second worker, whose model server is well. */
  const addHealthy = async () => {
    const other = await startScriptedModel({ scenario: able });
    cleanup.add(() => other.close());
    await started.worker('healthy', { ollama: { endpoints: [{ url: other.url }] } });
    return other;
  };
  /** Seconds that pass for the worker; what it sends and hears has its time between them. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      await clock.advance(1_000);
      await client.stats();
    }
  };
  const now = () => client.task(taskId);
  const ended = () => started.untilEnded(taskId);
  return { client, model, cleanup, taskId, pass, addHealthy, now, ended };
}

const workerOf = async ({ client }: Pick<TestSystem, 'client'>, name: string) =>
  (await client.workers()).find(({ agent_id: id }) => id === name);

test('an idle worker finds out that its model servers are down, and that they are up again', async () => {
  const started = (system = await startSystem(able));
  const { client, model } = started;
  const port = Number(new URL(model.url).port);
  const clock = new ManualClock(Date.now());
  await started.worker('w', { ollama: unhurriedCalls }, clock);
  await model.close();
  let isDown = false;
  const see = async () => void (isDown = Boolean((await workerOf(started, 'w'))?.not_ready));
  await clock.advance(29_000);
  await see();
  expect(isDown).toBe(false);
  await clock.advance(1_000);
  await eventually(() => isDown, 'its report', see);
  const { task_id: taskId } = await client.submit(task);
  expect(await client.task(taskId)).toMatchObject({
    status: 'queued',
    waiting_for: expect.stringMatching(/^a ready worker: w reports no Ollama server/u),
  });
  const again = await startScriptedModel({ scenario: able, port });
  started.cleanup.add(() => again.close());
  await eventually(
    () => !isDown,
    'its report',
    async () => {
      await clock.advance(1_000);
      await see();
    },
  );
  expect(await started.untilEnded(taskId)).toMatchObject({ status: 'success', failures: 0, generation: 1 });
});

test('a worker that is started before its model server gets nothing until that answers', async () => {
  const started = (system = await startSystem(able));
  const { client, model } = started;
  const port = Number(new URL(model.url).port);
  await model.close();
  await started.worker('w');
  let isDown = false;
  await eventually(
    () => isDown,
    'its report',
    async () => {
      isDown = Boolean((await workerOf(started, 'w'))?.not_ready);
    },
  );
  const { task_id: taskId } = await client.submit(task);
  const again = await startScriptedModel({ scenario: able, port });
  started.cleanup.add(() => again.close());
  expect(await started.untilEnded(taskId)).toMatchObject({ status: 'success', failures: 0, generation: 1 });
});

test('a task that is on hold for a minute and has changed nothing is done by another worker', async () => {
  const { pass, addHealthy, now, ended, client, taskId } = await outage(look);
  await client.steer(taskId, 'use tabs');
  await pass(45);
  expect(await now()).toMatchObject({ status: 'running', worker_id: 'down' });
  const other = await addHealthy();
  await pass(30);
  expect(await ended()).toMatchObject({ status: 'success', worker_id: 'healthy', failures: 0 });
  // What a person said reaches the worker that does it in the end.
  expect(JSON.stringify(chatsOf(other).at(-1)?.messages)).toContain('use tabs');
});

test('without another worker it waits in the queue, and does not come back before the server does', async () => {
  const { pass, now, ended, model, cleanup } = await outage(look);
  await pass(75);
  let status = '';
  await eventually(
    () => status === 'queued',
    'the task back in the queue',
    async () => void ({ status } = await now()),
  );
  expect(await now()).toMatchObject({ status: 'queued', failures: 0, generation: 1 });
  await pass(120);
  expect(await now()).toMatchObject({ status: 'queued', failures: 0, generation: 1 });
  const again = await startScriptedModel({ scenario: able, port: Number(new URL(model.url).port) });
  cleanup.add(() => again.close());
  await pass(31);
  expect(await ended()).toMatchObject({ status: 'success', worker_id: 'down', failures: 0 });
});

test('a drain gives it back at once', async () => {
  const { addHealthy, ended, client } = await outage(look);
  await addHealthy();
  await client.drain('down', true);
  expect(await ended()).toMatchObject({ status: 'success', worker_id: 'healthy', failures: 0 });
});

test('one that has changed files stays where its work is', async () => {
  const { pass, addHealthy, now, client } = await outage(write);
  await addHealthy();
  await client.drain('down', true);
  await pass(90);
  expect(await now()).toMatchObject({ status: 'running', worker_id: 'down', generation: 1 });
});

test('a hub for one worker gets nothing back', async () => {
  const { pass, now } = await outage(look, { soleWorker: true });
  await pass(90);
  expect(await now()).toMatchObject({ status: 'running', worker_id: 'down', generation: 1 });
});
