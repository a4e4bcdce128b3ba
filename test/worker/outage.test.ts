/** The whole system while its model server is away: hub, worker, two tasks and what an operator sees. */
import { afterEach, expect, test } from '@jest/globals';
import { startScriptedModel } from '../../sidecar/scripted-model/server.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { freePort } from '../support/free-port.ts';
import { eventually } from '../support/eventually.ts';
import { call, chatsOf, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

let system: TestSystem | undefined;
afterEach(async () => {
  await system?.cleanup.close();
  system = undefined;
});

const write = call('write_file', { file_path: 'done.txt', content: 'x' });
/** The second answer of the first life is never given. */
const before: ScenarioInput = { turns: [write, { ...say('never'), faults: [{ kind: 'hold' }] }] };
const after: ScenarioInput = { models: [{ name: 'm' }], turns: [write, say('All done.')] };
const task = {
  agentic: true,
  verification_steps: [{ type: 'file_exists', target: 'done.txt' }],
};

interface WorkerSeen {
  not_ready: string | null;
  notice: string | null;
}

const boundTo = (system: TestSystem): Pick<TestSystem, 'api' | 'untilEvent' | 'untilEnded'> => ({
  api: (...args) => system.api(...args),
  untilEvent: (...args) => system.untilEvent(...args),
  untilEnded: (...args) => system.untilEnded(...args),
});

test('tasks are held, none is given out, and all are done in the end without an attempt used up', async () => {
  system = await startSystem(before);
  const { client, model } = system;
  const { api, untilEvent, untilEnded } = boundTo(system);
  const port = await freePort();
  const readyz = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
  await system.worker('w', { observability: { port } });
  const first = await client.submit({ description: 'Do it', ...task });
  await eventually(() => chatsOf(model).length === 2, 'the second question');
  await model.close();
  const told = (part: string) => (body: Record<string, unknown>) => JSON.stringify(body).includes(part);
  await untilEvent(first.task_id, told('On hold: waiting for the model server'));

  expect(await readyz()).toMatchObject({ status: 'model_away', reason: expect.any(String) });
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toContain('sidecar_model_servers_away 1');
  expect(metrics).toContain('sidecar_calls_held 1');
  const worker = async () => ((await api('/api/workers')) as { workers: WorkerSeen[] }).workers[0];
  expect((await worker())?.not_ready).toEqual(expect.any(String));
  const second = await client.submit({ description: 'Do it as well', ...task });
  expect(await client.task(second.task_id)).toMatchObject({
    status: 'queued',
    waiting_for: expect.stringMatching(/^a worker that can work: w says /u),
  });

  const again = await startScriptedModel({ scenario: after, port: Number(new URL(model.url).port) });
  system.cleanup.add(() => again.close());
  for (const { task_id: taskId } of [first, second]) {
    expect(await untilEnded(taskId)).toMatchObject({
      status: 'success',
      failures: 0,
      generation: 1,
      verification_status: 'verified',
      result: { output: 'All done.', iterations_used: 2 },
    });
  }
  // The first task went on at the call that had failed.
  expect(chatsOf(again)[0]?.messages.at(-1)).toMatchObject({ role: 'tool' });
  expect(await readyz()).toEqual({ status: 'ready' });
  expect((await worker())?.not_ready).toBeNull();
});

test('one of several servers away is told everywhere, and the worker goes on', async () => {
  system = await startSystem(before);
  const other = await startScriptedModel({ scenario: after });
  system.cleanup.add(() => other.close());
  const { client, model } = system;
  const { api, untilEnded } = boundTo(system);
  const port = await freePort();
  const observed = async (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const endpoints = [{ url: model.url }, { url: other.url }];
  await system.worker('w', { observability: { port }, ollama: { endpoints } });
  const { task_id: taskId } = await client.submit({ description: 'Do it', ...task });
  await eventually(() => chatsOf(model).length === 2, 'the second question');
  await model.close();
  expect(await untilEnded(taskId)).toMatchObject({ status: 'success', failures: 0 });

  const ready = await observed('/readyz');
  expect([ready.status, await ready.json()]).toEqual([
    200,
    {
      status: 'ready',
      model_servers: [{ url: model.url, away: expect.stringContaining(model.url) }, { url: other.url }],
    },
  ]);
  const metrics = await (await observed('/metrics')).text();
  expect(metrics).toContain(`sidecar_model_server_up{url="${model.url}"} 0`);
  expect(metrics).toContain(`sidecar_model_server_up{url="${other.url}"} 1`);
  const worker = async () => ((await api('/api/workers')) as { workers: WorkerSeen[] }).workers[0];
  expect(await worker()).toMatchObject({
    not_ready: null,
    notice: expect.stringMatching(
      /^1 of 2 model servers are down: .*(?:no Ollama server at|the answer of) http/u,
    ),
  });

  const again = await startScriptedModel({ scenario: after, port: Number(new URL(model.url).port) });
  system.cleanup.add(() => again.close());
  let notice: string | null | undefined = '';
  await eventually(
    () => notice === null,
    'the end of the notice',
    async () => void (notice = (await worker())?.notice),
  );
});
