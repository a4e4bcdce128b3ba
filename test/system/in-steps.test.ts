import { describe, expect, test } from '@jest/globals';
import { runInSteps } from '../../sidecar/system/in-steps.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('work in small steps', () => {
  const clock = new ManualClock();
  const signal = new AbortController().signal;

  test('pauses after each step and ends when nothing is left', async () => {
    const times: number[] = [];
    const startMs = clock.now();
    const step = () => times.push(clock.now() - startMs) < 3;
    const run = runInSteps({ step, isIdle: () => true, patienceMs: 0, clock, signal });
    await clock.advance(1000);
    await run;
    expect(times).toEqual([0, 20, 40]);
    expect(clock.pending).toBe(0);
  });

  test('waits for an idle moment, but not for ever', async () => {
    const times: number[] = [];
    const startMs = clock.now();
    let isIdle = false;
    const step = () => times.push(clock.now() - startMs) < 2;
    const run = runInSteps({ step, isIdle: () => isIdle, patienceMs: 10_000, clock, signal });
    await clock.advance(400);
    expect(times).toEqual([]);
    isIdle = true;
    await clock.advance(100);
    expect(times).toEqual([500]);
    isIdle = false;
    await clock.advance(60_000);
    await run;
    expect(times).toEqual([500, 10_520]);
  });

  test('ends at once when it is aborted, and leaves no timer', async () => {
    const stop = new AbortController();
    const step = () => {
      throw new Error('no step is wanted');
    };
    const run = runInSteps({ step, isIdle: () => false, patienceMs: 60_000, clock, signal: stop.signal });
    await clock.advance(300);
    stop.abort();
    await run;
    expect(clock.pending).toBe(0);
  });

  test('rejects with what a step throws', async () => {
    const step = () => Promise.reject(new Error('disk'));
    const run = runInSteps({ step, isIdle: () => true, patienceMs: 0, clock, signal });
    await expect(run).rejects.toThrow('disk');
  });
});
