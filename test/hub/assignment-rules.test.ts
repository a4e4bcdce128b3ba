/** Who gets a task, how long a retry waits, how many frames fit: the rules alone. */
import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import {
  chooseWorker,
  readRequirement,
  requirementKey,
  suits,
} from '../../sidecar/hub/queue/requirements.ts';
import type { Candidate } from '../../sidecar/hub/queue/requirements.ts';
import { taskTitle } from '../../sidecar/protocol/task.ts';
import { defaultTimings, retryDelayMs } from '../../sidecar/hub/queue/timings.ts';
import { sameOrigin } from '../../sidecar/hub/socket/gateway.ts';
import { TokenBucket } from '../../sidecar/hub/socket/token-bucket.ts';
import { ManualClock } from '../support/manual-clock.ts';

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
