import { describe, expect, test } from '@jest/globals';
import { Dispatcher } from '../../sidecar/hub/queue/dispatcher.ts';
import { Leases } from '../../sidecar/hub/queue/leases.ts';
import {
  chooseWorker,
  readRequirement,
  requirementKey,
  suits,
  type Candidate,
} from '../../sidecar/hub/queue/requirements.ts';
import { defaultTimings, retryDelayMs } from '../../sidecar/hub/queue/timings.ts';
import { LocalFeed } from '../../sidecar/hub/replicas/local-feed.ts';
import { sameOrigin } from '../../sidecar/hub/socket/gateway.ts';
import { TokenBucket } from '../../sidecar/hub/socket/token-bucket.ts';
import { openHubDatabase } from '../../sidecar/hub/storage/open.ts';
import { HubStore } from '../../sidecar/hub/storage/unit-of-work.ts';
import { silentLogger } from '../../sidecar/observability/silent-logger.ts';
import type { Clock } from '../../sidecar/ports.ts';
import { taskTitle } from '../../sidecar/protocol/task.ts';
import { systemClock } from '../../sidecar/system/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import * as fc from '../support/properties.ts';
import { testHub, type Json } from './hub-fixture.ts';
import { load } from './page-modules.ts';

/** The queue keeps moving: a wish to look at it is never lost. */
test('a wish that comes while a look ends, however late, leads to another look', async () => {
  const store = new HubStore(await openHubDatabase(':memory:', silentLogger), new LocalFeed());
  const about = { store, clock: systemClock, timings: defaultTimings };
  for (let turns = 0; turns < 12; turns += 1) {
    let looks = 0;
    let second: Promise<void> = Promise.resolve();
    const kickAfter = async () => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      second = dispatcher.kick();
    };
    const dispatcher: Dispatcher = new Dispatcher({
      ...about,
      leases: new Leases(about),
      logger: silentLogger,
      readyWorkers: () => {
        looks += 1;
        if (looks === 1) void kickAfter();
        return [];
      },
      nextReadyMs: () => Infinity,
      deliver: () => true,
    });
    await dispatcher.kick();
    await new Promise((resolve) => setImmediate(resolve));
    await second;
    expect([turns, looks]).toEqual([turns, 2]);
    await dispatcher.close();
  }
  await store.database.close();
});

test('closing waits for a look at what is due: the database may go right after it', async () => {
  const store = new HubStore(await openHubDatabase(':memory:', silentLogger), new LocalFeed());
  const about = { store, clock: systemClock, timings: defaultTimings };
  const errors: unknown[] = [];
  const dispatcher = new Dispatcher({
    ...about,
    leases: new Leases(about),
    logger: { ...silentLogger, error: (fields) => void errors.push(fields) },
    readyWorkers: () => [],
    nextReadyMs: () => Infinity,
    deliver: () => true,
  });
  const sweep = dispatcher.sweep();
  await dispatcher.close();
  await store.database.close();
  await sweep;
  expect(errors).toEqual([]);
});

test('a delayed task starts within a minute of its time also where the machine slept, and timers with it', async () => {
  const timers = new ManualClock();
  let sleptMs = 0;
  const clock: Clock = {
    now: () => timers.now() + sleptMs,
    monotonicMs: () => timers.monotonicMs(),
    schedule: (delayMs, run) => timers.schedule(delayMs, run),
  };
  const hub = await testHub({ clock });
  const worker = await hub.worker();
  const id = await hub.submit({ delay_ms: 9 * 3_600_000 });
  // The hub has looked at the queue for the last time before.
  await timers.advance(1_000);
  expect((await hub.get(`/api/tasks/${id}`)).body.waiting_for).toBe('its start time');
  sleptMs = 9 * 3_600_000;
  for (let half = 0; half < 2; half += 1) {
    worker.say('ping');
    await worker.next('pong');
    await timers.advance(30_000);
  }
  expect(await worker.next('task_assign')).toMatchObject({ task_id: id });
});

/** Who gets a task, how long a retry waits, how many frames fit: the rules alone. */
const worker = (agentId: string, fields: Partial<Candidate> = {}): Candidate => ({
  agentId,
  labels: [],
  models: [],
  capacity: 1,
  load: 0,
  lastAssignedAtMs: 0,
  ...fields,
});

describe('choosing a worker', () => {
  test('the least loaded part of its capacity wins, then the one with fewer labels, then the longest idle', () => {
    const busy = worker('busy', { capacity: 2, load: 1 });
    const wide = worker('wide', { capacity: 8, load: 2 });
    const gpu = worker('gpu', { labels: ['gpu'], capacity: 4, load: 1 });
    const fresh = worker('fresh', { capacity: 4, load: 1, lastAssignedAtMs: 5 });
    const rested = worker('rested', { capacity: 4, load: 1, lastAssignedAtMs: 3 });
    expect(chooseWorker({ labels: [] }, [busy, wide])?.agentId).toBe('wide');
    expect(chooseWorker({ labels: [] }, [gpu, fresh])?.agentId).toBe('fresh');
    expect(chooseWorker({ labels: [] }, [fresh, rested])?.agentId).toBe('rested');
    expect(chooseWorker({ labels: ['gpu'] }, [fresh, gpu])?.agentId).toBe('gpu');
    expect(chooseWorker({ labels: [] }, [rested, busy], 'busy')?.agentId).toBe('busy');
    expect(chooseWorker({ labels: [] }, [worker('full', { load: 1 })])).toBeUndefined();
  });

  test('a model without a tag is the latest one; a worker that tells no models takes any', () => {
    expect(suits({ labels: [], model: 'qwen3' }, worker('a', { models: ['qwen3:latest'] }))).toBe(true);
    expect(suits({ labels: [], model: 'qwen3:8b' }, worker('a', { models: ['qwen3'] }))).toBe(false);
    expect(suits({ labels: [], model: 'qwen3:8b' }, worker('a'))).toBe(true);
  });

  test('the chosen one always suits, has room, and exists whenever one does', () => {
    const labels = fc.uniqueArray(fc.constantFrom('gpu', 'arm', 'docker'));
    const someone = fc.record({
      agentId: fc.constantFrom('a', 'b', 'c', 'd'),
      labels,
      models: fc.uniqueArray(fc.constantFrom('m:latest', 'n:1b')),
      capacity: fc.integer({ min: 1, max: 4 }),
      load: fc.integer({ min: 0, max: 4 }),
      lastAssignedAtMs: fc.nat(),
    });
    const need = fc.record({ labels, model: fc.option(fc.constantFrom('m', 'n:1b'), { nil: undefined }) });
    fc.assert(
      fc.property(need, fc.array(someone), ({ labels, model }, workers) => {
        const requirement = readRequirement(requirementKey({ labels, ...(model && { model }) }));
        const able = workers.filter((one) => one.load < one.capacity && suits(requirement, one));
        const chosen = chooseWorker(requirement, workers);
        if (able.length === 0) expect(chosen).toBeUndefined();
        else expect(able).toContain(chosen);
      }),
    );
  });

  test('the same needs have the same key, in whatever order they were written', () => {
    expect(requirementKey({ labels: ['b', 'a', 'b'], model: 'x' })).toBe(
      requirementKey({ labels: ['a', 'b'], model: 'x:latest' }),
    );
  });
});

test('the wait before a retry doubles up to its limit and has some jitter', () => {
  const waits = [1, 2, 3, 20].map((attempts) => retryDelayMs(attempts, defaultTimings, () => 0));
  expect(waits).toEqual([2_000, 4_000, 8_000, 300_000]);
  expect(retryDelayMs(1, defaultTimings, () => 1)).toBe(1_600);
});

test('a token bucket allows its capacity at once and its rate over time, and warns below a fifth', async () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket(60, clock);
  const answers = Array.from({ length: 61 }, () => bucket.take());
  expect(answers.filter(({ allowed }) => allowed)).toHaveLength(60);
  expect(answers.findIndex((one) => one.allowed && one.warning)).toBe(48);
  expect(answers[48]).toEqual({ allowed: true, warning: { remaining: 11, capacity: 60 } });
  expect(answers[60]).toEqual({ allowed: false, retryAfterMs: 1_000 });
  await clock.advance(1_000);
  expect(bucket.take().allowed).toBe(true);
  expect(bucket.take().allowed).toBe(false);
});

test('a title is the first line that says something', () => {
  expect(taskTitle({ description: '\n\n## Fix it\nplease', metadata: {} })).toBe('Fix it');
  expect(taskTitle({ description: '🦊'.repeat(200), metadata: {} })).toBe('🦊'.repeat(160));
  const metadata = { follow_up_goal: '# Add a --json flag\nto the tool', follow_up_depth: 2 };
  expect(taskTitle({ description: 'Go on with a task', metadata })).toBe('↳ 2: Add a --json flag');
});

test('only the hub’s own page counts as the same origin', () => {
  expect(sameOrigin(undefined, 'hub:1')).toBe(true);
  expect(sameOrigin('http://hub:1', 'hub:1')).toBe(true);
  for (const origin of ['http://hub:2', 'https://evil', 'null', ''])
    expect(sameOrigin(origin, 'hub:1')).toBe(false);
});

/** Where a task's time went: the pure parts of the page. */
const answer = {
  event_type: 'status',
  model: 'qwen',
  text: 'qwen',
};
const parts = {
  id: 'm1',
  phase: 'finished',
  kind: 'answer',
  wait_ms: 100,
  load_ms: 200,
  read_ms: 300,
  write_ms: 400,
  tokens_in: 1200,
  tokens_cached: 900,
  tokens_out: 20,
};

async function timelineOf(bodies: Json[]) {
  const { Timeline } = await load('timeline-model.js');
  const timeline = new Timeline();
  bodies.forEach((body, index) => timeline.add({ id: index + 1, at: 0, kind: 'execution', body }));
  return timeline;
}

describe('a call of the model', () => {
  test('is one row from its beginning to its end, with its figures', async () => {
    const timeline = await timelineOf([
      { ...answer, timestamp: 1_000, model_call: { id: 'm1', phase: 'started', kind: 'answer' } },
      {
        ...answer,
        phase: 'finished',
        timestamp: 2_000,
        duration_ms: 1_000,
        success: true,
        model_call: parts,
      },
    ]);
    expect(timeline.rows).toMatchObject([
      {
        type: 'model',
        label: 'Model',
        args: 'qwen',
        startMs: 1_000,
        endMs: 2_000,
        durationMs: 1_000,
        success: true,
        result: '1.2k tokens read (75 % cached, 1k/s) · 20 written (50/s)',
      },
    ]);
    const { partsOf } = await load('call-row.js');
    const [row] = timeline.rows;
    expect(partsOf(row.detail.model_call).reduce((sum: number, { ms }: Json) => sum + ms, 0)).toBe(
      row.durationMs,
    );
  });

  test('takes what is written while it is open', async () => {
    const timeline = await timelineOf([
      { ...answer, timestamp: 1_000, model_call: { id: 'm1', phase: 'started', kind: 'answer' } },
      { event_type: 'token', text: 'function sum() {\n', timestamp: 1_100 },
      { event_type: 'token', text: '  return a', timestamp: 1_200 },
    ]);
    expect(timeline.rows).toMatchObject([
      { type: 'model', endMs: undefined, text: 'function sum() {\n  return a', result: 'return a' },
    ]);
  });

  test.each([null, [], 'x', 7, { wait_ms: 'x', read_ms: -1, write_ms: Infinity }])(
    'that is no such thing (%j) breaks nothing',
    async (model_call) => {
      const timeline = await timelineOf([{ ...answer, timestamp: 1_000, model_call }]);
      expect(timeline.rows).toHaveLength(1);
      const { timeShares } = await load('time-shares.js');
      expect(timeShares(timeline.rows, 1_000, { wholeMs: 10 })).toEqual([{ kind: 'other', ms: 10 }]);
    },
  );
});

test('a draft and its call are one row, whose time is that of both', async () => {
  const draft = { event_type: 'tool_call', tool_name: 'draft', call_id: 'draft-1' };
  const timeline = await timelineOf([
    { ...draft, phase: 'started', timestamp: 1_000 },
    { ...answer, timestamp: 1_000, model_call: { id: 'm1', phase: 'started', kind: 'answer' } },
    { event_type: 'token', text: 'return a', timestamp: 1_200 },
    { ...answer, timestamp: 2_000, duration_ms: 1_000, success: true, model_call: parts },
    { ...draft, phase: 'finished', timestamp: 2_500, duration_ms: 1_500, success: false },
  ]);
  expect(timeline.rows).toMatchObject([
    { isDraft: true, text: 'return a', durationMs: 1_500, success: undefined, detail: { model_call: parts } },
  ]);
  const { timeShares } = await load('time-shares.js');
  expect(timeShares(timeline.rows, 2_500, { wholeMs: 1_500 })).toEqual([
    { kind: 'wait', ms: 100 },
    { kind: 'load', ms: 200 },
    { kind: 'read', ms: 300 },
    { kind: 'write', ms: 400 },
    { kind: 'draft', ms: 500 },
  ]);
});

test('the checks on the base have the time that they took', async () => {
  const timeline = await timelineOf([
    { event_type: 'status', text: 'Running the checks on the base', timestamp: 1_000 },
    {
      event_type: 'status',
      text: 'On the base: 0 of 1 checks pass',
      timestamp: 3_000,
      duration_ms: 1_500,
      checks: { total: 1, passed: 0 },
    },
  ]);
  expect(timeline.rows).toMatchObject([{ type: 'check', startMs: 1_500, endMs: 3_000, durationMs: 1_500 }]);
  const { timeShares } = await load('time-shares.js');
  expect(timeShares(timeline.rows, 3_000, { wholeMs: 2_000 })).toEqual([
    { kind: 'check', ms: 1_500 },
    { kind: 'other', ms: 500 },
  ]);
});

describe('the shares of a task’s time', () => {
  test('of a call that is open: it writes from its first text on', async () => {
    const started = (id: string, kind: string) => ({ id, phase: 'started', kind });
    const timeline = await timelineOf([
      { ...answer, timestamp: 1_000, model_call: started('m1', 'answer') },
      {
        event_type: 'token',
        text: 'function',
        timestamp: 1_400,
        model_call: { id: 'm1', phase: 'writing', kind: 'answer' },
      },
    ]);
    const { timeShares } = await load('time-shares.js');
    expect(timeShares(timeline.rows, 2_000, { wholeMs: 1_000 })).toEqual([
      { kind: 'wait', ms: 400 },
      { kind: 'write', ms: 600 },
    ]);
    const loading = await timelineOf([{ ...answer, timestamp: 1_000, model_call: started('m1', 'load') }]);
    expect(timeShares(loading.rows, 1_500, { wholeMs: 500 })).toEqual([{ kind: 'load', ms: 500 }]);
  });

  test('add up to the whole, also where calls overlap', async () => {
    const { timeShares } = await load('time-shares.js');
    const rows = [
      { type: 'model', startMs: 0, endMs: 1_000, detail: { model_call: parts } },
      { type: 'call', isDraft: true, startMs: 0, endMs: 1_500 },
      { type: 'call', label: 'run_command', startMs: 1_400, endMs: undefined },
      { type: 'check', startMs: 1_600, endMs: 1_700 },
      { type: 'status', startMs: 1_800, endMs: 1_800 },
    ];
    expect(timeShares(rows, 2_000, { wholeMs: 2_500, queueMs: 50 })).toEqual([
      { kind: 'queue', ms: 50 },
      { kind: 'wait', ms: 100 },
      { kind: 'load', ms: 200 },
      { kind: 'read', ms: 300 },
      { kind: 'write', ms: 400 },
      { kind: 'tool', ms: 500 },
      { kind: 'check', ms: 100 },
      { kind: 'draft', ms: 400 },
      { kind: 'other', ms: 500 },
    ]);
  });
});

test('a task that is held waits until it goes on', async () => {
  const status = (text: string, timestamp: number) => ({
    event_type: 'status',
    text,
    timestamp,
    on_hold: /^On hold: (.*)/u.exec(text)?.[1] ?? '',
  });
  const timeline = await timelineOf([
    status('On hold: waiting for the model server (no Ollama)', 1_000),
    status('On hold: waiting for the model server (still none)', 2_000),
    status('The model server answers again after 3 s: going on', 4_000),
  ]);
  const { timeShares } = await load('time-shares.js');
  expect(timeShares(timeline.rows.slice(0, 1), 9_000, { wholeMs: 1_500 })).toEqual([
    { kind: 'wait', ms: 1_000 },
    { kind: 'other', ms: 500 },
  ]);
  expect(timeShares(timeline.rows, 9_000, { wholeMs: 3_000 })).toEqual([{ kind: 'wait', ms: 3_000 }]);
});

test('the row of a file tool names its path first, also where its arguments were cut', async () => {
  const { callRow } = await load('call-row.js');
  const args = (summary: string) => callRow({ id: 1, body: { args_summary: summary } }).args;
  expect(args('{"new_string":"b","file_path":"src/a.ts"}')).toBe('src/a.ts new_string=b');
  expect(args('{"file_path":"src/a.ts","content":"line 1\\nli…')).toBe('src/a.ts "content":"line 1\\nli…');
  expect(args('1 of at most 4')).toBe('1 of at most 4');
});
