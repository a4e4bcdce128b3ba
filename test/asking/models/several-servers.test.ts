/** A task on several model servers, of which one goes away. */
import { expect, test } from '@jest/globals';
import { Scheduler } from '../../../sidecar/model/servers/scheduler.ts';
import { OllamaExecutor } from '../../../sidecar/executors/ollama-executor.ts';
import type { ScriptedModelServer } from '../../../sidecar/scripted-model/server.ts';
import { hastyClock } from '../../support/hasty-clock.ts';
import { loopAlone } from '../../support/loop-alone.ts';
import { call, chatsOf, say, scenario, testModel } from '../../support/scripted-model.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const folder = tempFolders();
const write = call('write_file', { file_path: 'done.txt', content: 'x' });
const turns = [write, say('All done.')];

async function run(servers: ScriptedModelServer[], afterWrite: () => void | Promise<void> = () => undefined) {
  const statuses: string[] = [];
  const urls = servers.map(({ url }) => url);
  const scheduler = new Scheduler({
    clock: hastyClock,
    servers: urls.map((url) => ({ url, slots: 1 })),
  });
  const executor = new OllamaExecutor({
    config: {
      ...loopAlone,
      sandbox: { mode: 'off' },
      ollama: { endpoints: urls.map((url) => ({ url })) },
    },
    clock: hastyClock,
    scheduler,
  });
  const task = {
    task_id: 't1',
    description: 'Do it',
    agentic: true,
    routing_decision: { selected_model: 'm' },
  };
  const result = await executor.execute(task, { repo_dir: folder() }, ({ event_type: type, text }) => {
    if (type === 'status') statuses.push(text);
    if (text.startsWith('write_file') && text.includes('OK')) void afterWrite();
  });
  scheduler.servers.stop();
  return { result, statuses, servers: scheduler.servers, scheduler };
}

const askedIn = (server: ScriptedModelServer) => chatsOf(server).map(({ messages }) => messages.at(-1)?.role);

test('the next call goes to another server, and the task is not held', async () => {
  const [a, b] = [await testModel(scenario(turns)), await testModel(scenario(turns))];
  const { result, statuses, servers, scheduler } = await run([a, b], () => a.close());
  expect(result).toMatchObject({ status: 'success', output: 'All done.', iterations_used: 2 });
  expect(askedIn(a)).toEqual(['user']);
  expect(askedIn(b)).toEqual(['tool']);
  expect(statuses).toContain(`The model server is now ${b.url}`);
  expect(statuses.filter((text) => text.startsWith('On hold'))).toEqual([]);
  expect(scheduler.states.map(({ url, down }) => ({ url, down }))).toEqual([
    { url: a.url, down: expect.stringContaining('no Ollama server') },
    { url: b.url },
  ]);
  // One is enough to work.
  expect(servers.downReason).toBeUndefined();
});

test('one that fails on its side is left at once, without the pauses of a retry', async () => {
  const fault = {
    kind: 'status' as const,
    status: 500,
    body: { error: 'CUDA error' },
    times: 'always' as const,
  };
  const a = await testModel(scenario([write, { ...say('never'), faults: [fault] }]));
  const b = await testModel(scenario(turns));
  const { result, statuses } = await run([a, b]);
  expect(result).toMatchObject({ status: 'success', output: 'All done.' });
  expect(askedIn(a)).toEqual(['user', 'tool']);
  expect(statuses.filter((text) => /; retry \d of/u.test(text))).toEqual([]);
});

test('with all of them away the task is held until one is back', async () => {
  const [a, b] = [await testModel(scenario(turns)), await testModel(scenario(turns))];
  const port = Number(new URL(b.url).port);
  let again: ScriptedModelServer | undefined;
  const { result, statuses, servers } = await run([a, b], async () => {
    await Promise.all([a.close(), b.close()]);
    setTimeout(() => void testModel(scenario(turns), port).then((server) => (again = server)), 100);
  });
  expect(result).toMatchObject({ status: 'success', output: 'All done.' });
  expect(statuses).toContainEqual(expect.stringMatching(/^On hold: .*no Ollama server at /u));
  expect(askedIn(again!)).toEqual(['tool']);
  expect(servers.downReason).toBeUndefined();
});

test('with the only one away that has the model the task is held: the other one is no help', async () => {
  const a = await testModel(scenario(turns));
  const b = await testModel(scenario(turns, { models: [{ name: 'other' }] }));
  const port = Number(new URL(a.url).port);
  let again: ScriptedModelServer | undefined;
  const { result, statuses } = await run([a, b], async () => {
    await a.close();
    setTimeout(() => void testModel(scenario(turns), port).then((server) => (again = server)), 100);
  });
  expect(result).toMatchObject({ status: 'success', output: 'All done.' });
  expect(statuses.filter((text) => text.startsWith('On hold'))).toHaveLength(1);
  expect(askedIn(again!)).toEqual(['tool']);
  expect(askedIn(b)).toEqual([]);
});

test('a server that only a task named keeps the worker from nothing', async () => {
  const { servers } = new Scheduler({
    clock: hastyClock,
    servers: [{ url: 'http://127.0.0.1:9', slots: 1 }],
  });
  const named = servers.of({ url: 'http://127.0.0.1:19', slots: 1 }).health;
  expect(await named.blame({ code: 'model_unreachable', message: 'no Ollama server' })).toBe(true);
  expect(servers.downReason).toBeUndefined();
  expect(servers.downNotice).toContain('1 of 2 model servers are down');
  servers.stop();
});
