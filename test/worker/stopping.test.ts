import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { TaskDetail } from '../../sidecar/hub/client/hub-client.ts';
import { startHealthServer } from '../../sidecar/worker/health-server.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { startScriptedModel } from '../../sidecar/model/scripted/server.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { call, chatsOf, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

let system: TestSystem;
afterEach(() => system?.cleanup.close());

/** Draining: a worker finishes what it runs and takes nothing new, for as long as the operator wants. */
describe('drain', () => {
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
    await eventually(
      () => worker.taskCounts.unfinished === 3 && worker.taskCounts.running === 2,
      'a task that waits',
    );
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
      waiting_for: expect.stringMatching(/^its next attempt|its start time$/u),
    });
    expect(worker.taskCounts).toEqual({ running: 2, unfinished: 2 });
    await client.drain('w', false);
    await eventually(() => worker.taskCounts.unfinished === 3, 'the task that comes again');
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
});

/** The whole system while its model server is away: hub, worker, two tasks and what an operator sees. */
describe('outage', () => {
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

  const workerSeen = async () => ((await system.api('/api/workers')) as { workers: WorkerSeen[] }).workers[0];

  test('tasks are held, none is given out, and all are done in the end without an attempt used up', async () => {
    system = await startSystem(before);
    const { client, model } = system;
    const port = await freePort();
    const readyz = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
    await system.worker('w', { observability: { port } });
    const first = await client.submit({ description: 'Do it', ...task });
    await eventually(() => chatsOf(model).length === 2, 'the second question');
    await model.close();
    const told = (part: string) => (body: Record<string, unknown>) => JSON.stringify(body).includes(part);
    await system.untilEvent(first.task_id, told('On hold: waiting for the model server'));

    expect(await readyz()).toMatchObject({ status: 'model_away', reason: expect.any(String) });
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain('sidecar_model_servers_away 1');
    expect(metrics).toContain('sidecar_calls_held 1');
    expect((await workerSeen())?.not_ready).toEqual(expect.any(String));
    const second = await client.submit({ description: 'Do it as well', ...task });
    expect(await client.task(second.task_id)).toMatchObject({
      status: 'queued',
      waiting_for: expect.stringMatching(/^a ready worker: w reports /u),
    });

    const again = await startScriptedModel({ scenario: after, port: Number(new URL(model.url).port) });
    system.cleanup.add(() => again.close());
    for (const { task_id: taskId } of [first, second]) {
      expect(await system.untilEnded(taskId)).toMatchObject({
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
    expect((await workerSeen())?.not_ready).toBeNull();
  });

  test('one of several servers away is told everywhere, and the worker goes on', async () => {
    system = await startSystem(before);
    const other = await startScriptedModel({ scenario: after });
    system.cleanup.add(() => other.close());
    const { client, model } = system;
    const port = await freePort();
    const observed = async (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    const endpoints = [{ url: model.url }, { url: other.url }];
    await system.worker('w', { observability: { port }, ollama: { endpoints } });
    const { task_id: taskId } = await client.submit({ description: 'Do it', ...task });
    await eventually(() => chatsOf(model).length === 2, 'the second question');
    await model.close();
    expect(await system.untilEnded(taskId)).toMatchObject({ status: 'success', failures: 0 });

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
    expect(await workerSeen()).toMatchObject({
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
      async () => void (notice = (await workerSeen())?.notice),
    );
  });
});

describe('watching', () => {
  const scenario: ScenarioInput = {
    turns: [call('list_directory'), call('read_file', { file_path: 'nope.txt' }), say('Nothing here.')],
  };

  describe('what a worker tells of itself', () => {
    test('health, readiness and figures of a task', async () => {
      system = await startSystem(scenario);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      await system.worker('w1', { observability: { port }, budgets: { perDay: { maxTokens: 1_000_000 } } });
      expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ready' });
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await fetch(`${url}/`)).status).toBe(404);
      const task = await system.finish({ agentic: true });
      expect(task.status).toBe('success');
      const response = await fetch(`${url}/metrics`);
      expect(response.headers.get('content-type')).toMatch(/^text\/plain/u);
      const text = await response.text();
      expect(text).toContain('sidecar_tasks_total{outcome="success",reason="final_answer"} 1');
      expect(text).toContain('sidecar_tool_calls_total{tool="list_directory",success="true"} 1');
      expect(text).toContain('sidecar_tool_calls_total{tool="read_file",success="false"} 1');
      expect(text).toContain('sidecar_tool_seconds_count{tool="read_file"} 1');
      expect(text).toContain('sidecar_answers_total{layer="final_answer"} 1');
      expect(text).toContain('sidecar_task_iterations_sum 3');
      expect(text).toMatch(/sidecar_tokens_total\{direction="in",model="m"\} [1-9]/u);
      expect(text).toMatch(/sidecar_budget_left\{scope="day",unit="tokens"\} 99\d{4}/u);
      for (const name of ['tasks_running ', 'tasks_queued 0', 'outbox_depth 0', 'reconnects_total 0'])
        expect(text).toContain(`sidecar_${name}`);
      const modelUrl = system.model.url;
      for (const [name, value] of [
        ['calls_running', '0'],
        ['calls_waiting', '0'],
        ['slots', '[1-9]'],
        ['loads_total', '0'],
      ])
        expect(text).toMatch(new RegExp(`sidecar_model_${name}\\{url="${modelUrl}"\\} ${value}`, 'u'));
      expect(text).toMatch(/sidecar_model_busy_seconds_total\{url=[^}]*\} 0\.\d/u);
      expect(text).toMatch(/sidecar_prompt_tokens_total\{from="reading",model="m"\} [1-9]/u);
      expect(text).toMatch(/sidecar_model_seconds_total\{phase="writing",model="m"\} \d/u);
      expect(text).toContain('nodejs_eventloop_lag_seconds');
      expect(text).toContain('process_resident_memory_bytes');
      expect(text).not.toContain(task.task_id);
    });

    /** A health server of a worker in this state. */
    const health = (state: string, allowedHosts: string[] = []) => {
      const metrics = () => Promise.resolve({ contentType: 'text/plain', body: '' });
      const source = {
        state: () => state,
        explainNotReady: () => undefined,
        modelServers: () => [],
        metrics,
      };
      return startHealthServer(source, { host: '127.0.0.1', port: 0, allowedHosts });
    };

    test('a worker that is not connected is alive and not ready', async () => {
      const server = await health('connecting');
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
      await server.close();
    });

    test('only hosts that are meant are answered', async () => {
      const server = await health('ready', ['worker.example.org']);
      const { port } = new URL(server.url);
      const statusFor = (host: string): Promise<number | undefined> =>
        new Promise((fulfil, reject) => {
          get({ host: '127.0.0.1', port, path: '/metrics', headers: { host } }, (response) => {
            response.resume();
            fulfil(response.statusCode);
          }).on('error', reject);
        });
      for (const host of [
        `127.0.0.1:${port}`,
        `[::1]:${port}`,
        'localhost',
        `worker-1:${port}`,
        'Worker.example.org',
      ])
        expect([host, await statusFor(host)]).toEqual([host, 200]);
      for (const host of ['rebound.example', `rebound.example:${port}`, '127.0.0.1.rebound.example', 'a b'])
        expect([host, await statusFor(host)]).toEqual([host, 421]);
      await server.close();
    });

    test('a port that is taken ends the start with a code', async () => {
      const other = createServer();
      await new Promise<void>((fulfil) => other.listen(0, '127.0.0.1', () => fulfil()));
      const { port } = other.address() as AddressInfo;
      system = await startSystem(scenario);
      await expect(system.worker('w1', { observability: { port } })).rejects.toThrow(
        /^observability_address: /u,
      );
      other.close();
    });
  });
});
