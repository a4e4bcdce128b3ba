import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startHealthServer } from '../../sidecar/observability/health-server.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { freePort } from '../support/free-port.ts';
import { call, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

let system: TestSystem | undefined;
afterEach(async () => {
  await system?.cleanup.close();
  system = undefined;
});

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
    for (const name of ['tasks_running ', 'tasks_queued 0', 'outbox_depth 0', 'reconnects 0'])
      expect(text).toContain(`sidecar_${name}`);
    const modelUrl = system.model.url;
    for (const [name, value] of [
      ['calls_running', '0'],
      ['calls_waiting', '0'],
      ['slots', '[1-9]'],
      ['loads', '0'],
    ])
      expect(text).toMatch(new RegExp(`sidecar_model_${name}\\{url="${modelUrl}"\\} ${value}`, 'u'));
    expect(text).toMatch(/sidecar_model_busy_seconds\{url=[^}]*\} 0\.\d/u);
    expect(text).toMatch(/sidecar_prompt_tokens_total\{from="reading",model="m"\} [1-9]/u);
    expect(text).toMatch(/sidecar_model_seconds_total\{phase="writing",model="m"\} \d/u);
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).not.toContain(task.task_id);
  });

  test('a worker that is not connected is alive and not ready', async () => {
    const server = await startHealthServer(
      {
        state: () => 'connecting',
        notReady: () => undefined,
        modelServers: () => [],
        metrics: () => Promise.resolve({ contentType: 'text/plain', body: '' }),
      },
      { host: '127.0.0.1', port: 0 },
    );
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    await server.close();
  });

  test('only hosts that are meant are answered', async () => {
    const server = await startHealthServer(
      {
        state: () => 'ready',
        notReady: () => undefined,
        modelServers: () => [],
        metrics: () => Promise.resolve({ contentType: 'text/plain', body: '' }),
      },
      { host: '127.0.0.1', port: 0, allowedHosts: ['worker.example.org'] },
    );
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
