/** What an operator reads of a worker: the reason of each failure, once, with the task that it is about. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema } from '../../sidecar/base/config/schema.ts';
import { CleanupStack } from '../../sidecar/base/system/cleanup-stack.ts';
import { systemClock } from '../../sidecar/base/system/clock.ts';
import { startWorker } from '../../sidecar/worker/start-worker.ts';
import { HubDouble } from '../support/hub-double.ts';
import { keptLog, type KeptLog } from '../support/kept-log.ts';
import { call, say, testModel } from '../support/scripted-model.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { quiet } from '../support/until.ts';
import type { Clock } from '../../sidecar/base/ports.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';

describe('the log of a worker', () => {
  let dir: string;
  let log: KeptLog;
  let cleanup: CleanupStack;
  beforeEach(async () => {
    cleanup = new CleanupStack();
    log = keptLog();
    dir = await mkdtemp(join(tmpdir(), 'log-lines-'));
    cleanup.add(() => rm(dir, { recursive: true, force: true }));
  });
  afterEach(() => cleanup.close());

  const start = async (hubUrl: string, modelUrl: string, token = 'secret', clock: Clock = systemClock) => {
    const started = await startWorker({
      clock,
      config: configSchema.parse({
        hub: { url: hubUrl, agentId: 'worker-1', token, connectTimeoutMs: 2_000 },
        ollama: { url: modelUrl },
        model: { default: 'm' },
        sandbox: { mode: 'off' },
        worker: { stateDir: join(dir, 'state'), dataDir: join(dir, 'data') },
      }),
      logger: log,
    });
    if (started.ok) cleanup.add(() => started.value.stop());
    return started;
  };
  const startHub = async (clock: Clock = systemClock) => {
    const hub = new HubDouble(clock);
    await hub.listen();
    cleanup.add(() => hub.kill());
    return hub;
  };

  /** A worker on a hub, with a model that gives these answers. */
  const running = async (turns: ScenarioInput['turns'], { token = 'secret', clock = systemClock } = {}) => {
    const model = await testModel({ models: [{ name: 'm' }], turns });
    const hub = await startHub(clock);
    return { hub, start: () => start(hub.url, model.url, token, clock) };
  };

  test('says why a task failed, and which task a forced stop is about', async () => {
    const { hub, start } = await running([{ ...call('glob', { pattern: '*' }), repeat: 'always' }]);
    await start();
    hub.submit('t1', { metadata: { agentic: true, max_iterations: 1 } });
    await eventually(() => log.shown.some(({ message }) => message === 'Task ended'), 'the end');
    expect(log.shown).toContainEqual(
      expect.objectContaining({
        task_id: 't1',
        message: expect.stringMatching(/^Stopped: iteration limit/u),
      }),
    );
    expect(log.shown).toContainEqual(
      expect.objectContaining({
        task_id: 't1',
        message: 'Task ended',
        outcome: 'failed',
        error: expect.stringContaining('max_iterations'),
      }),
    );
  });

  test('says once that a task is refused, before the hub has it, and why', async () => {
    const clock = new ManualClock();
    const { hub, start } = await running([say('x')], { clock });
    await start();
    hub.submit('t1', { routing_decision: { target_type: 'claude' } });
    const lines = () => log.shown.filter(({ task_id: id }) => id === 't1');
    await eventually(
      () => hub.tasks.get('t1')?.status === 'dead_letter' && lines().length >= 9,
      'the end of its attempts',
      async () => {
        await clock.advance(1_000);
        await quiet();
      },
    );
    const of = (generation: number) => [
      {
        level: 'info',
        message: 'Returning the task to the hub later, so that another worker can take it first',
        task_id: 't1',
        worker: 'worker-1',
        error: 'unsupported_target_type:claude',
      },
      {
        level: 'warn',
        message: 'Task refused',
        task_id: 't1',
        worker: 'worker-1',
        error: 'unsupported_target_type:claude',
      },
      {
        level: 'info',
        message: 'The hub acknowledged the result',
        task_id: 't1',
        worker: 'worker-1',
        acknowledged: generation < 3 ? 'retried' : 'dead_letter',
      },
    ];
    expect(lines()).toEqual([1, 2, 3].flatMap(of));
  });

  test('says once that the hub refused a result', async () => {
    const { hub, start } = await running([say('Done.')]);
    hub.refuseWith = 'invalid_state';
    await start();
    hub.submit('t1');
    const refusals = () => log.shown.filter(({ message }) => message.includes('rejected'));
    await eventually(() => refusals().length > 0, 'the refusal');
    hub.refuseWith = undefined;
    await eventually(() => hub.tasks.get('t1')?.status === 'completed', 'its second way');
    expect(refusals()).toEqual([
      {
        level: 'warn',
        message: 'The hub rejected a result permanently; see `ollama-sidecar show`',
        task_id: 't1',
        worker: 'worker-1',
        moot: 'invalid_state',
      },
    ]);
    const order = log.shown.map(({ message }) => message);
    expect(order.indexOf('Task ended')).toBeLessThan(order.indexOf(refusals()[0]?.message ?? ''));
  });

  test('says once that a token is refused', async () => {
    const { start } = await running([say('x')], { token: 'wrong' });
    expect(await start()).toMatchObject({ ok: false, failure: { code: 'token_refused' } });
    expect(log.shown.filter((line) => JSON.stringify(line).includes('token'))).toEqual([
      { level: 'info', message: 'Worker stopped', reason: 'token_refused', worker: 'worker-1' },
    ]);
  });

  test('does not call an address that answers with a 404 silent', async () => {
    const model = await testModel({ models: [{ name: 'm' }], turns: [say('x')] });
    const server: Server = createServer((_request, response) => void response.writeHead(404).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => new Promise((resolve) => server.close(resolve)));
    const started = await start(
      `ws://127.0.0.1:${(server.address() as AddressInfo).port}/nowhere`,
      model.url,
    );
    expect(started).toMatchObject({
      ok: false,
      failure: {
        code: 'hub_unreachable',
        message: expect.stringMatching(/answered with HTTP 404.*Check the path/u),
      },
    });
  });
});
