/**
 * The whole worker against the public hub as it was recorded: no features, sixty
 * frames a minute, generations that jump, refusals without a task id. Minutes pass on an injected clock.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { CleanupStack } from '../../sidecar/base/system/cleanup-stack.ts';
import { systemClock } from '../../sidecar/base/system/clock.ts';
import { configSchema } from '../../sidecar/base/config/schema.ts';
import type { Clock } from '../../sidecar/base/ports.ts';
import { startScriptedModel, type ScriptedModelServer } from '../../sidecar/model/scripted/server.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { startWorker } from '../../sidecar/worker/start-worker.ts';
import type { Worker } from '../../sidecar/worker/start-worker.ts';
import { HubDouble } from '../support/hub-double.ts';
import { ManualClock, unhurriedCalls } from '../support/manual-clock.ts';
import { call, calls, chatsOf, say, type NamedCall } from '../support/scripted-model.ts';
import { silentLogger } from '../../sidecar/base/observability/silent-logger.ts';
import { eventually } from '../support/eventually.ts';
import { quiet } from '../support/until.ts';
import { killed, startWorkerProcess, type WorkerProcess } from '../support/worker-process.ts';
import { loopAlone } from '../support/loop-alone.ts';

const cleanup = new CleanupStack();
afterEach(() => cleanup.close());

let dir: string;
let hub: HubDouble;
let model: ScriptedModelServer;

async function begin(clock: Clock, scenario: ScenarioInput): Promise<void> {
  dir = await mkdtemp(join(tmpdir(), 'sidecar-public-'));
  cleanup.add(() => rm(dir, { recursive: true, force: true }));
  model = await startScriptedModel({ scenario: { models: [{ name: 'm' }], ...scenario } });
  cleanup.add(() => model.close());
  hub = new HubDouble(clock);
  cleanup.add(() => hub.kill());
  await hub.listen();
}

const effects = () => {
  const file = join(dir, 'effects');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};
const effect = (id: string) => call('shell', { command: `echo ${id} >> "$EFFECTS/effects"` });
/** The answer waits until `model.release()`. */
const held = (content: string) => ({ ...say(content), faults: [{ kind: 'hold' as const }] });
const asked = () => chatsOf(model).length;
const types = () => hub.received.map(({ type }) => type);
const agentic = { metadata: { agentic: true, max_iterations: 50 } };

describe('a worker on the public hub', () => {
  let clock: ManualClock;
  let worker: Worker;

  async function start(
    scenario: ScenarioInput,
    minFreeDiskBytes = 0,
    written = (url: string) => url,
  ): Promise<void> {
    clock = new ManualClock();
    await begin(clock, scenario);
    process.env.EFFECTS = dir;
    const config = configSchema.parse({
      ...loopAlone,
      hub: { url: hub.url, agentId: 'worker-1', token: 'secret', connectTimeoutMs: 0 },
      ollama: { url: written(model.url), ...unhurriedCalls },
      model: { default: 'm' },
      sandbox: { mode: 'off', env: ['EFFECTS'] },
      worker: { stateDir: join(dir, 'state'), dataDir: join(dir, 'data'), minFreeDiskBytes },
    });
    const started = await startWorker({ config, logger: silentLogger, clock });
    if (!started.ok) throw new Error(started.failure.message);
    worker = started.value;
    cleanup.add(() => worker.stop());
  }
  async function advance(durationMs: number): Promise<void> {
    for (let left = durationMs; left > 0; left -= 1_000) {
      await clock.advance(Math.min(left, 1_000));
      await quiet();
    }
  }
  const untilDone = (id: string) =>
    eventually(
      () => hub.tasks.get(id)?.status === 'completed',
      `the end of ${id}`,
      () => advance(1_000),
    );
  const timeline = () =>
    hub
      .framesOf('task_progress')
      .map(({ execution_event: event }) => event?.text ?? '')
      .join('\n');

  test('an address of Ollama without `http://` reaches the hub as a URL', async () => {
    await start({ turns: [say('Done.')] }, 0, (url) => url.replace('http://', ''));
    await eventually(() => hub.framesOf('identify').length > 0, 'identify');
    expect(hub.framesOf('identify')).toMatchObject([{ ollama_url: model.url, models: ['m'] }]);
  });

  test('the tool calls of a first task are shown at once, each by itself and with its model', async () => {
    const names = Array.from({ length: 15 }, (_value, index) => `file-${index}.txt`);
    const writes = names.map((name) => call('write_file', { file_path: name, content: name }));
    await start({ turns: [...writes, say('Done.')] });
    hub.submit('t1', agentic);
    await eventually(() => hub.tasks.get('t1')?.status === 'completed', 'the end of the task');
    const shown = hub.framesOf('task_progress').flatMap(({ execution_event: event }) => event ?? []);
    const ended = shown.filter(({ event_type: type, phase }) => type === 'tool_call' && phase === 'finished');
    expect(ended).toMatchObject(
      names.map((name) => ({ text: expect.stringContaining(`write_file ${name} → OK`), model: 'm' })),
    );
  });

  test('forty tool calls in no time lose none of them and never draw `rate_limited`', async () => {
    const names = Array.from({ length: 40 }, (_value, index) => `file-${index}.txt`);
    const writes = names.map((name): NamedCall => ['write_file', { file_path: name, content: name }]);
    const rounds = Array.from({ length: 20 }, (_value, index) =>
      calls(...writes.slice(2 * index, 2 * index + 2)),
    );
    await start({ turns: [...rounds, say('Done.')] });
    hub.submit('t1', agentic);
    await eventually(() => asked() === 21, 'the last request');
    await eventually(() => worker.taskCounts.unfinished === 0, 'the end of the task');
    for (let waited = 0; hub.tasks.get('t1')?.status !== 'completed' && waited < 300; waited += 10) {
      await advance(10_000);
    }
    expect(hub.tasks.get('t1')).toMatchObject({ status: 'completed', result: { status: 'success' } });
    expect(names.filter((name) => !timeline().includes(`write_file ${name} → OK`))).toEqual([]);
    expect(hub.sent.map(({ type }) => type)).not.toContain('rate_limited');
  });

  test('a task that comes back with a higher generation after a lost connection is adopted, not done again', async () => {
    await start({ turns: [effect('one'), held('Done.')] });
    hub.submit('t1', agentic);
    await eventually(() => asked() === 2, 'the second request');
    hub.dropConnections();
    await eventually(() => worker.state === 'connecting', 'the loss');
    await advance(3_000);
    await eventually(() => hub.agentState() === 'working', 'the second acceptance');
    expect(hub.tasks.get('t1')).toMatchObject({ status: 'assigned', generation: 3 });
    model.release();
    await eventually(() => worker.taskCounts.unfinished === 0, 'the end of the task');
    await advance(8_000);
    expect(hub.tasks.get('t1')).toMatchObject({ status: 'completed', generation: 3 });
    expect(hub.framesOf('task_complete')).toMatchObject([{ generation: 3 }]);
    expect(effects()).toEqual(['one']);
    expect(asked()).toBe(2);
  });

  test('a task that finds too little disk space is held, and not failed by an end of the worker', async () => {
    await start({ turns: [say('Done.')] }, Number.MAX_SAFE_INTEGER);
    hub.submit('t1', agentic);
    await eventually(
      () => timeline().includes('Waiting for disk space'),
      'the hold',
      () => advance(1_000),
    );
    await advance(60_000);
    expect(hub.tasks.get('t1')).toMatchObject({ status: 'assigned', retries: 0 });
    await worker.stop();
    expect(hub.framesOf('task_failed')).toEqual([]);
    expect(asked()).toBe(0);
  });

  test('without its model it stays away; with the model it takes what waits', async () => {
    await start({ models: [{ name: 'other' }, { name: 'm', installed: false }], turns: [say('Done.')] });
    hub.submit('t1');
    await advance(60_000);
    expect(hub.tasks.get('t1')).toMatchObject({ status: 'queued', retries: 0 });
    expect(asked()).toBe(0);
    const pull = { method: 'POST', body: JSON.stringify({ model: 'm' }) };
    await (await fetch(`${model.url}/api/pull`, pull)).text();
    await untilDone('t1');
  });

  test('a repository that it may not have is handed back late, with a word in the timeline', async () => {
    await start({ turns: [say('Done.')] });
    hub.submit('t1', { repo: join(dir, 'not-there') });
    await eventually(() => timeline().includes('workspace_repo_missing'), 'the word');
    await advance(20_000);
    expect(hub.tasks.get('t1')).toMatchObject({ status: 'assigned', retries: 0 });
    await eventually(
      () => hub.tasks.get('t1')?.status === 'dead_letter',
      'the end',
      () => advance(1_000),
    );
    expect(hub.tasks.get('t1')?.error).toContain('workspace_repo_missing');
  });

  test('after a refused result it reconnects, since the hub would give it nothing more', async () => {
    await start({ turns: [say('Done.')] });
    hub.refuseWith = 'stale_generation';
    hub.submit('t1');
    await eventually(() => types().filter((type) => type === 'identify').length === 1, 'the first identify');
    await eventually(() => hub.framesOf('task_complete').length === 1, 'the result');
    await eventually(() => worker.state === 'connecting', 'the reconnect');
    hub.refuseWith = undefined;
    hub.submit('t2');
    await advance(5_000);
    await untilDone('t2');
    expect(hub.tasks.get('t1')?.status).toBe('completed');
    expect(types().filter((type) => type === 'identify')).toHaveLength(2);
  });

  test('a hub that was killed and comes back hears of the running task and lets it go on', async () => {
    await start({ turns: [effect('one'), held('Done.')] });
    hub.submit('t1', agentic);
    await eventually(() => asked() === 2, 'the second request');
    await hub.kill();
    await eventually(() => worker.state === 'connecting', 'the loss');
    await hub.listen();
    await advance(5_000);
    await eventually(
      () => hub.agentState() === 'working',
      'the second acceptance',
      () => advance(1_000),
    );
    expect(hub.framesOf('state_report')).toMatchObject([{ task_id: 't1', generation: 1 }]);
    // Longer than the hub waits for an acceptance.
    await advance(90_000);
    model.release();
    await untilDone('t1');
    expect(hub.tasks.get('t1')).toMatchObject({ generation: 1 });
    expect(effects()).toEqual(['one']);
  });

  test('a task that is given out anew while its old run is being cut off is run again, not forgotten', async () => {
    await start({ turns: [held('Done.')] });
    hub.submit('t1', agentic);
    await eventually(() => asked() === 1, 'the first request');
    const { payload } = hub.tasks.get('t1') ?? { payload: {} };
    const again = {
      description: '',
      metadata: {},
      ...payload,
      type: 'task_assign',
      task_id: 't1',
      generation: 9,
    };
    hub.push({ type: 'task_cancelled', task_id: 't1' });
    hub.push(again);
    Object.assign(hub.tasks.get('t1') ?? {}, { generation: 9 });
    await eventually(
      () => asked() === 2,
      'the request of the second run',
      () => advance(1_000),
    );
    model.release();
    await untilDone('t1');
    expect(hub.framesOf('task_complete')).toMatchObject([{ generation: 9 }]);
  });

  test('an assignment that comes twice, and once more after its end, is run once', async () => {
    await start({ turns: [effect('one'), say('Done.')] });
    hub.submit('t1', agentic);
    await eventually(() => hub.sent.some(({ type }) => type === 'task_assign'), 'the assignment');
    const assignment = hub.sent.find(({ type }) => type === 'task_assign');
    if (!assignment) throw new Error('unreachable');
    hub.push(assignment);
    await untilDone('t1');
    hub.push(assignment);
    await advance(5_000);
    await eventually(() => worker.taskCounts.unfinished === 0, 'the end of the run');
    hub.push(assignment);
    await advance(30_000);
    expect(worker.taskCounts.unfinished).toBe(0);
    expect(effects()).toEqual(['one']);
    expect(asked()).toBe(2);
  });
});

describe('a worker process on the public hub', () => {
  async function start(token = 'secret'): Promise<WorkerProcess> {
    const place = { dir, hubUrl: hub.url, modelUrl: model.url, token };
    const options = { env: { EFFECTS: dir, SIDECAR_SANDBOX_ENV: 'EFFECTS' } };
    const one = startWorkerProcess(place, 'w1', { hub: { agentId: 'worker-1' } }, options);
    await one.ready();
    return one;
  }
  const untilCompleted = () =>
    eventually(() => hub.tasks.get('t1')?.status === 'completed', 'the end of the task');

  /** A worker in the middle of its task. */
  async function halfWay(): Promise<WorkerProcess> {
    await begin(systemClock, { turns: [effect('one'), held('Done.')] });
    const one = await start();
    hub.submit('t1', agentic);
    await eventually(() => asked() === 2, 'the second request');
    return one;
  }

  async function killedInTheMiddle(): Promise<void> {
    const one = await halfWay();
    await hub.kill();
    await killed(one.child);
  }

  test('killed in the middle: `task_continue` resumes at the exact call', async () => {
    await killedInTheMiddle();
    await hub.listen();
    await start();
    model.release();
    await untilCompleted();
    expect(types()).toContain('task_recovering');
    expect(hub.sent.find(({ type }) => type === 'task_continue')).toMatchObject({ generation: 1 });
    expect(effects()).toEqual(['one']);
  });

  test('killed in the middle: `task_reassign` drops the task', async () => {
    await killedInTheMiddle();
    Object.assign(hub.tasks.get('t1') ?? {}, { status: 'completed' });
    await hub.listen();
    const two = await start();
    await eventually(() => hub.sent.some(({ type }) => type === 'task_reassign'), 'the answer');
    two.child.kill('SIGTERM');
    expect(await two.ended).toEqual({ code: 0, signal: null });
    const three = await start();
    three.child.kill('SIGTERM');
    await three.ended;
    expect(types().filter((type) => type === 'task_recovering')).toHaveLength(1);
    expect(effects()).toEqual(['one']);
  });

  test('killed in the middle and given out again at once: goes on under the new generation', async () => {
    const one = await halfWay();
    await killed(one.child);
    await start();
    model.release();
    await untilCompleted();
    expect(hub.tasks.get('t1')).toMatchObject({ generation: 3 });
    expect(effects()).toEqual(['one']);
  });

  test('`restart_sidecar` ends it after what runs', async () => {
    const one = await halfWay();
    hub.push({ type: 'restart_sidecar', reason: 'update' });
    await one.wrote('Draining');
    model.release();
    // A code that the unit restarts.
    expect(await one.ended).toEqual({ code: 8, signal: null });
    expect(hub.tasks.get('t1')?.status).toBe('completed');
  });

  test('a token that is revoked in the middle of a task ends it with exit 4; the result goes with a new one', async () => {
    const one = await halfWay();
    hub.tokens.clear();
    hub.dropConnections();
    expect(await one.ended).toEqual({ code: 4, signal: null });
    const told = one.output.split('\n').filter((line) => line.includes('does not accept this token'));
    expect(told).toEqual([expect.stringMatching(/^ollama-sidecar: The hub .*set the correct token/u)]);
    hub.tokens.set('fresh', 'worker-1');
    model.release();
    await start('fresh');
    await untilCompleted();
    expect(effects()).toEqual(['one']);
    expect(hub.tasks.get('t1')).toMatchObject({ retries: 0 });
  });
});
