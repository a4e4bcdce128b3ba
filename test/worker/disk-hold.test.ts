import { describe, expect, test } from '@jest/globals';
import { waitForDisk } from '../../sidecar/worker/capacity.ts';
import { ManualClock } from '../support/manual-clock.ts';

function begin(limitMs: number) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const told: string[] = [];
  const disk = { missing: '1 MiB are free' as string | undefined };
  let isOver = false;
  const held = waitForDisk({
    shortage: () => disk.missing,
    limitMs,
    clock,
    stopping: stop.signal,
    emit: (text) => told.push(text),
  }).then(() => (isOver = true));
  return { clock, stop, told, disk, held, isOver: () => isOver };
}

describe('a task that finds the disk full', () => {
  test('waits until there is room, and says so once', async () => {
    const { clock, told, disk, held, isOver } = begin(3_600_000);
    await clock.advance(600_000);
    expect(isOver()).toBe(false);
    disk.missing = undefined;
    await clock.advance(10_000);
    await held;
    expect(told).toEqual([
      'Waiting for disk space (1 MiB are free)',
      'There is disk space again after 610 s: going on',
    ]);
    expect(clock.pending).toBe(0);
  });

  test('waits no longer than allowed', async () => {
    const { clock, told, held } = begin(25_000);
    await clock.advance(25_000);
    await held;
    expect(told.at(-1)).toBe('No disk space came free within 25 s (limits.holdTimeoutMs)');
  });

  test('waits no longer when it is stopped, and not at all where that is not allowed', async () => {
    const { clock, stop, told, held } = begin(60_000);
    await clock.advance(5_000);
    stop.abort();
    await held;
    expect(told).toHaveLength(1);
    const never = begin(0);
    await never.held;
    expect(never.told).toEqual([]);
  });
});
