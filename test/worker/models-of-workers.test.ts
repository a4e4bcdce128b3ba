/** What a hub knows of its workers' models, and where a task goes whose model one of them cannot run. */
import { afterEach, expect, test } from '@jest/globals';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { startScriptedModel } from '../../sidecar/model/scripted/server.ts';
import { eventually } from '../support/eventually.ts';
import { clockWithHaste } from '../support/hasty-clock.ts';
import { call, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

let system: TestSystem | undefined;
afterEach(async () => {
  await system?.cleanup.close();
  system = undefined;
});

const HASTE = 20;
const turns = [call('write_file', { file_path: 'done.txt', content: 'x' }), say('All done.')];
const having = (...models: NonNullable<ScenarioInput['models']>): ScenarioInput => ({ models, turns });
const task = {
  description: 'Do it',
  agentic: true,
  max_attempts: 1,
  verification_steps: [{ type: 'file_exists', target: 'done.txt' }],
};

/** A system whose workers each have a model server of their own. */
async function start() {
  const started = (system = await startSystem(having({ name: 'm' })));
  const { client, cleanup } = started;
  const serve = async (scenario: ScenarioInput, port?: number) => {
    const server = await startScriptedModel({ scenario, port });
    cleanup.add(() => server.close());
    return server;
  };
  const worker = async (name: string, url: string, ollama: object = {}) => {
    // A hub in the same process is there, however busy the machine is.
    const settings = { ollama: { ...ollama, endpoints: [{ url }] }, hub: { connectTimeoutMs: 0 } };
    await started.worker(name, settings, clockWithHaste(HASTE));
  };
  const of = async (name: string) => (await client.workers()).find(({ agent_id: id }) => id === name);
  const untilWorker = async (name: string, wanted: object) => {
    let seen: unknown;
    const fits = () => {
      try {
        expect(seen).toMatchObject(wanted);
        return true;
      } catch {
        return false;
      }
    };
    await eventually(
      fits,
      `worker ${name}: ${JSON.stringify(wanted)}`,
      async () => void (seen = await of(name)),
    );
  };
  const untilWaiting = async (taskId: string, wanted: RegExp) => {
    let seen: string | null | undefined;
    const read = async () => void (seen = (await client.task(taskId)).waiting_for);
    await eventually(() => wanted.test(seen ?? ''), String(wanted), read);
  };
  const untilEnded = (taskId: string) => started.untilEnded(taskId);
  return { client, serve, worker, untilWorker, untilWaiting, untilEnded };
}

test('a model server that starts after its worker, and a model that comes later, are reported to the hub', async () => {
  const { client, serve, worker, untilWorker, untilWaiting, untilEnded } = await start();
  const late = await serve(having({ name: 'm' }));
  await late.close();
  await worker('late', late.url);
  const early = await serve(having({ name: 'other' }));
  await worker('early', early.url);
  await untilWorker('late', { models: [], not_ready: expect.stringContaining('no Ollama server') });
  const { task_id: taskId } = await client.submit({ ...task, model: 'big:70b' });
  await untilWaiting(
    taskId,
    /^a worker with the model big:70b: no connected worker has it \(available: other\)$/u,
  );
  const again = await serve(having({ name: 'm' }, { name: 'big:70b', installed: false }), late.port);
  await untilWorker('late', { models: ['m'], not_ready: null });
  await fetch(`${again.url}/api/pull`, { method: 'POST', body: JSON.stringify({ model: 'big:70b' }) });
  expect(await untilEnded(taskId)).toMatchObject({ status: 'success', worker_id: 'late', failures: 0 });
});

test('a task whose model is gone from one worker is done by another that has it', async () => {
  const { client, serve, worker, untilWorker, untilWaiting, untilEnded } = await start();
  const [a, b] = [
    await serve(having({ name: 'm' }, { name: 'big' })),
    await serve(having({ name: 'm' }, { name: 'big' })),
  ];
  await worker('a', a.url);
  await untilWorker('a', { models: ['m', 'big'] });
  await fetch(`${a.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model: 'big' }) });
  const { task_id: taskId } = await client.submit({ ...task, model: 'big' });
  await untilWaiting(taskId, /^a worker with the model big: no connected worker has it \(available: m\)$/u);
  await worker('b', b.url);
  expect(await untilEnded(taskId)).toMatchObject({ status: 'success', worker_id: 'b', failures: 0 });
});

test('a model that does not fit into memory is another worker\u2019s, and this one goes on with others', async () => {
  const { client, serve, worker, untilWorker, untilWaiting, untilEnded } = await start();
  const a = await serve(having({ name: 'm' }, { name: 'big', loadError: { times: 'always' } }));
  const b = await serve(having({ name: 'm' }, { name: 'big' }));
  await worker('a', a.url);
  await untilWorker('a', { models: ['m', 'big'] });
  const { task_id: taskId } = await client.submit({ ...task, model: 'big' });
  await untilWaiting(taskId, /no connected worker has it \(available: m\)/u);
  await untilWorker('a', { models: ['m'], not_ready: null });
  expect(await client.task(taskId)).toMatchObject({
    error: expect.stringMatching(/^worker_model_unfit: model_out_of_memory: .*21\.3 GiB/u),
  });
  const other = await client.submit({ ...task, model: 'm' });
  expect(await untilEnded(other.task_id)).toMatchObject({ status: 'success', worker_id: 'a' });
  await worker('b', b.url);
  expect(await untilEnded(taskId)).toMatchObject({ status: 'success', worker_id: 'b', failures: 0 });
});

test('memory that comes free brings the model back, by a load that nobody has to wait for', async () => {
  const { client, serve, worker, untilEnded } = await start();
  // Three tries, each with the whole window and the first with half of it, and one probe.
  const a = await serve(having({ name: 'm', loadError: { times: 5 } }));
  await worker('a', a.url);
  const { task_id: taskId } = await client.submit(task);
  expect(await untilEnded(taskId)).toMatchObject({ status: 'success', worker_id: 'a', failures: 0 });
});

test('a server that hangs while it loads gets no task until a load succeeds', async () => {
  const { client, serve, worker, untilWorker, untilEnded } = await start();
  const load = [{ kind: 'hold' as const, times: 'always' as const }];
  const a = await serve({ ...having({ name: 'm' }), endpoints: { load } });
  await worker('a', a.url, { loadTimeoutMs: 4_000 });
  const { task_id: taskId } = await client.submit(task);
  await untilWorker('a', { not_ready: expect.stringMatching(/^m was not loaded within 4 s/u) });
  let status = '';
  const read = async () => void ({ status } = await client.task(taskId));
  await eventually(() => status === 'queued', 'the task back in the queue', read);
  a.release();
  expect(await untilEnded(taskId)).toMatchObject({ status: 'success', worker_id: 'a', failures: 0 });
});

test('a worker without its default model takes the tasks that name one it has, and no others until it has both', async () => {
  const { client, serve, worker, untilWorker, untilWaiting, untilEnded } = await start();
  const a = await serve(having({ name: 'm', installed: false }, { name: 'big' }));
  await worker('a', a.url);
  await untilWorker('a', {
    models: ['big'],
    not_ready: null,
    needs_model: expect.stringContaining('model m is not'),
  });
  const unnamed = await client.submit(task);
  await untilWaiting(unnamed.task_id, /^a ready worker: a reports model m is not installed/u);
  const named = await client.submit({ ...task, model: 'big' });
  expect(await untilEnded(named.task_id)).toMatchObject({ status: 'success', worker_id: 'a', failures: 0 });
  expect(await client.task(unnamed.task_id)).toMatchObject({ status: 'queued', failures: 0 });
  await fetch(`${a.url}/api/pull`, { method: 'POST', body: JSON.stringify({ model: 'm' }) });
  expect(await untilEnded(unnamed.task_id)).toMatchObject({ status: 'success', worker_id: 'a', failures: 0 });
});
