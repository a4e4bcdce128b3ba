/** What the link decides without a socket: what to say again and when, what fits into a frame, how long to wait. */
import { describe, expect, test } from '@jest/globals';
import { AssignedTasks } from '../../sidecar/hub-link/assigned-tasks.ts';
import { backoffMs, cooldownMs } from '../../sidecar/hub-link/connection.ts';
import { FrameMeter } from '../../sidecar/hub-link/frame-meter.ts';
import { joinStreams, mergeEvents } from '../../sidecar/hub-link/progress.ts';
import { Recoveries } from '../../sidecar/hub-link/questions.ts';
import { ManualClock } from '../support/manual-clock.ts';

const task = (generation: number) => ({ task_id: 't', generation });

describe('waiting between connections', () => {
  test('doubles from a second to fifteen', () => {
    const middle = (attempt: number) => backoffMs(attempt, () => 0.5);
    expect([0, 1, 2, 3, 4, 100].map(middle)).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000]);
  });
  test('is spread by half, within the bounds', () => {
    expect(backoffMs(2, () => 0)).toBe(2000);
    expect(backoffMs(2, () => 1)).toBe(6000);
    expect(backoffMs(0, () => 0)).toBe(1000);
    expect(backoffMs(10, () => 1)).toBe(15_000);
  });
  test('is as long as the hub says', () => {
    expect(cooldownMs('cooldown active: retry in 12s')).toBe(12_000);
    expect(cooldownMs('retry in 3 s')).toBe(3000);
    expect(cooldownMs('go away')).toBeUndefined();
  });
});

describe('the assigned tasks', () => {
  const accepted = (connection: number, sentAtMs: number, acknowledged = false) => ({
    connection,
    sentAtMs,
    acknowledged,
    attempts: 1,
  });

  test('an assignment is what the hub said last, and is to be accepted anew', () => {
    const tasks = new AssignedTasks();
    tasks.take('t', 5, 0).accepted = accepted(1, 0, true);
    const assigned = tasks.assigned({ ...task(3), assigned_at: 7 }, 2);
    expect(assigned).toMatchObject({ generation: 3, assignedAt: 7, assignedOn: 2, accepted: undefined });
    expect(tasks.get('t')).toBe(assigned);
    expect(tasks.all()).toEqual([assigned]);
  });
  test('otherwise the newest generation holds', () => {
    const tasks = new AssignedTasks();
    tasks.confirmed('t', 4);
    tasks.confirmed('t', 2);
    expect(tasks.get('t')?.generation).toBe(4);
    expect(tasks.take('t', 3, 9)).toMatchObject({ generation: 4, taken: true, lastSignMs: 9 });
    expect(tasks.take('t', 6, 9).generation).toBe(6);
    expect(tasks.take('u', undefined, 9).generation).toBe(0);
    tasks.delete('t');
    expect(tasks.get('t')).toBeUndefined();
  });
  test('events are told once the hub knows on this connection who has the task', () => {
    const tasks = new AssignedTasks();
    expect(tasks.mayReport('unknown', 1)).toBe(true);
    tasks.assigned(task(1), 1);
    expect(tasks.mayReport('t', 1)).toBe(true);
    const known = tasks.take('t', 1, 0);
    expect(tasks.mayReport('t', 1)).toBe(false);
    known.accepted = accepted(1, 0);
    expect([tasks.mayReport('t', 1), tasks.mayReport('t', 2)]).toEqual([true, false]);
  });
  test('an acceptance that nobody acknowledges is said again after 15 seconds', () => {
    const tasks = new AssignedTasks();
    const known = tasks.take('t', 1, 0);
    known.accepted = accepted(1, 100);
    expect(tasks.toAccept(1, 15_099)).toEqual([]);
    expect(tasks.toAccept(1, 15_100)).toEqual([known]);
    expect(tasks.toAccept(2, 99_000)).toEqual([]);
    known.accepted.acknowledged = true;
    expect(tasks.toAccept(1, 99_000)).toEqual([]);
    known.taken = false;
    known.accepted.acknowledged = false;
    expect(tasks.toAccept(1, 99_000)).toEqual([]);
  });
  test('a report that nobody answers counts as continued after 30 seconds', () => {
    const tasks = new AssignedTasks();
    const known = tasks.take('t', 1, 0);
    Object.assign(known, { reported: [1], reportedAtMs: 100 });
    expect(tasks.toAccept(1, 30_099)).toEqual([]);
    expect(tasks.toAccept(1, 30_100)).toEqual([known]);
    known.reported = [];
    expect(tasks.toAccept(1, 99_000)).toEqual([]);
  });
  test('a silent task gives a sign of life after a minute', () => {
    const tasks = new AssignedTasks();
    const known = tasks.take('t', 1, 100);
    known.accepted = accepted(1, 0);
    expect(tasks.silent(1, 60_099)).toEqual([]);
    expect(tasks.silent(1, 60_100)).toEqual([known]);
    expect(tasks.silent(2, 60_100)).toEqual([]);
    tasks.signed('t', 60_000);
    tasks.signed('unknown', 60_000);
    expect(tasks.silent(1, 60_100)).toEqual([]);
    known.lastSignMs = 0;
    known.taken = false;
    expect(tasks.silent(1, 60_100)).toEqual([]);
  });
  test('where a frame was dropped, what is not acknowledged is said at once', () => {
    const tasks = new AssignedTasks();
    const lost = tasks.take('t', 1, 0);
    const heard = tasks.take('u', 1, 0);
    tasks.take('v', 1, 0);
    lost.accepted = accepted(1, 50);
    heard.accepted = accepted(1, 50, true);
    tasks.acceptAgain();
    expect(tasks.toAccept(1, 51)).toEqual([lost]);
    expect(heard.accepted.sentAtMs).toBe(50);
  });
});

describe('the frame meter', () => {
  const metered = (framesPerMinute?: number, isFull = false) => {
    const clock = { nowMs: 0 };
    const meter = new FrameMeter(() => clock.nowMs, isFull);
    if (framesPerMinute !== undefined) meter.configure(framesPerMinute);
    return { meter, clock };
  };
  const taken = (meter: FrameMeter, priority: 'terminal' | 'control' | 'progress'): number => {
    let count = 0;
    while (count < 10_000 && meter.tryTake(priority)) count += 1;
    return count;
  };

  test('begins full where the hub has heard nothing of the worker for a minute', () => {
    expect(taken(metered(undefined, true).meter, 'progress')).toBe(52);
    expect(taken(metered(600, true).meter, 'progress')).toBe(588);
  });
  test('begins with the reserve only, which progress may not take', () => {
    const { meter } = metered();
    expect(meter.isLow).toBe(true);
    expect(taken(meter, 'progress')).toBe(0);
    expect(taken(meter, 'control')).toBe(4);
    expect(taken(meter, 'terminal')).toBe(3);
    expect(meter.waitMs('terminal')).toBe(1000);
    expect(meter.waitMs('control')).toBe(4000);
    expect(meter.waitMs('progress')).toBe(8000);
  });
  test('fills with time, up to what the hub takes', () => {
    const { meter, clock } = metered();
    clock.nowMs = 10_000;
    expect(meter.isLow).toBe(false);
    expect(taken(meter, 'progress')).toBe(10);
    clock.nowMs = 1_000_000;
    expect(taken(meter, 'progress')).toBe(52);
  });
  test('a larger bucket begins with a tenth and keeps a fiftieth', () => {
    const { meter } = metered(1000);
    // The share that was there before is more than a tenth of it.
    expect(taken(meter, 'progress')).toBe(113);
    expect(taken(meter, 'control')).toBe(10);
    const { meter: same } = metered(60);
    expect(taken(same, 'control')).toBe(4);
    const { meter: tiny } = metered(0);
    expect(tiny.tryTake('terminal')).toBe(false);
  });
  test('believes the lower figure of a hub', () => {
    const { meter, clock } = metered();
    clock.nowMs = 60_000;
    meter.learn(20);
    expect(taken(meter, 'progress')).toBe(12);
    meter.learn(50);
    expect(taken(meter, 'progress')).toBe(0);
    meter.learn(-5, 120);
    expect(meter.waitMs('terminal')).toBe(1000);
    meter.learn(50, 0);
    expect(meter.waitMs('terminal')).toBe(1000);
  });
  test('waits as long as it is told to, and begins with nothing then', () => {
    const { meter, clock } = metered();
    clock.nowMs = 60_000;
    meter.block(90_000);
    expect(meter.waitMs('terminal')).toBe(90_000);
    clock.nowMs = 149_999;
    expect(meter.tryTake('terminal')).toBe(false);
    clock.nowMs = 150_000;
    expect(meter.tryTake('terminal')).toBe(true);
    const { meter: other } = metered();
    other.block(-1);
    expect(other.waitMs('terminal')).toBe(2000);
  });
});

describe('events in one frame', () => {
  const token = (text: string, more = {}) => ({ event_type: 'token' as const, text, ...more });
  const status = (text: string, more = {}) => ({ event_type: 'status' as const, text, ...more });

  test('pieces of a stream are joined, with the newer figures', () => {
    expect(joinStreams([token('a', { seq: 1, model: 'm' }), token('b', { seq: 2 })])).toEqual([
      token('ab', { seq: 2, model: 'm' }),
    ]);
    const other = { event_type: 'stdout' as const, text: 'x' };
    expect(joinStreams([token('a'), other, token('b'), status('c'), status('d')])).toEqual([
      token('a'),
      other,
      token('b'),
      status('c'),
      status('d'),
    ]);
  });
  test('what two calls of the model write is not joined', () => {
    const piece = (id: string, text: string) =>
      token(text, { model_call: { id, kind: 'answer', phase: 'writing' } });
    expect(joinStreams([piece('one', 'a'), piece('one', 'b'), piece('two', 'c')])).toEqual([
      piece('one', 'ab'),
      piece('two', 'c'),
    ]);
  });
  test('one goes as it is, none is a mistake', () => {
    expect(mergeEvents([token('a'), token('b')], true)).toEqual(token('ab'));
    expect(() => mergeEvents([], true)).toThrow('no events to merge');
  });
  test('several are told by the last that is no stream, with the last figures known', () => {
    const events = [status('one', { tokens_so_far: 5, seq: 1 }), token('a', { seq: 2 }), token('', {})];
    expect(mergeEvents(events, false)).toEqual({
      event_type: 'status',
      text: 'one\na',
      tokens_so_far: 5,
      seq: 2,
    });
    const streams = [token('a'), { event_type: 'stderr' as const, text: 'b' }];
    expect(mergeEvents(streams, false).event_type).toBe('stderr');
    expect(mergeEvents(events, true)).toMatchObject({ events: joinStreams(events) });
  });
  test('the middle of a long text goes', () => {
    const long = (chars: number) => mergeEvents([status('a'.repeat(chars)), token('z')], true).text;
    expect(long(498)).toBe(`${'a'.repeat(498)}\nz`);
    expect(long(499)).toBe(`${'a'.repeat(250)}\n[… 1 characters left out …]\n${'a'.repeat(248)}\nz`);
    const text = mergeEvents([status('b'.repeat(70_000)), token('z')], false).text;
    expect(text.length).toBeGreaterThan(64 * 1024);
    expect(text).toContain(`[… ${70_002 - 64 * 1024} characters left out …]`);
  });
});

describe('questions about tasks of an earlier life', () => {
  const asking = (generation?: number) => {
    const clock = new ManualClock();
    const recoveries = new Recoveries(clock);
    return { clock, recoveries, answer: recoveries.ask('t', generation) };
  };

  test('are asked at once, after 30 seconds, and on another connection', async () => {
    const { clock, recoveries, answer } = asking(3);
    expect(recoveries.due()).toEqual(['t']);
    expect(recoveries.due()).toEqual([]);
    await clock.advance(29_999);
    expect(recoveries.due()).toEqual([]);
    await clock.advance(1);
    expect(recoveries.due()).toHaveLength(1);
    recoveries.askAgain();
    expect(recoveries.due()).toHaveLength(1);
    recoveries.stop();
    expect(await answer).toEqual({ action: 'unanswered' });
    expect(recoveries.has('t')).toBe(false);
  });
  test.each<[string, number | undefined, number | undefined, boolean, object]>([
    ['the same generation', 3, 3, false, { action: 'continue', generation: 3 }],
    ['an older one', 3, 2, false, { action: 'continue', generation: 2 }],
    ['none', 3, undefined, false, { action: 'continue', generation: 3 }],
    ['a newer one of a hub that is trusted', 3, 4, true, { action: 'continue', generation: 4 }],
    ['one where none was known', undefined, 4, false, { action: 'continue', generation: 4 }],
    ['none where none was known', undefined, undefined, false, { action: 'continue', generation: 0 }],
  ])('continue with %s', async (_what, known, generation, trusted, wanted) => {
    const { recoveries, answer } = asking(known);
    recoveries.continued('unknown', 1, true);
    expect(recoveries.has('t')).toBe(true);
    recoveries.continued('t', generation, trusted);
    expect(await answer).toEqual(wanted);
  });
  test('a newer generation counts once the assignment arrives, else the task is another worker’s', async () => {
    const first = asking(3);
    first.recoveries.continued('t', 4, false);
    first.recoveries.answer('t', { action: 'continue', generation: 4 });
    expect(await first.answer).toEqual({ action: 'continue', generation: 4 });
    const second = asking(3);
    second.recoveries.continued('t', 4, false);
    await second.clock.advance(4999);
    expect(second.recoveries.has('t')).toBe(true);
    second.recoveries.continued('t', 4, false);
    await second.clock.advance(4999);
    expect(second.recoveries.has('t')).toBe(true);
    await second.clock.advance(1);
    expect(await second.answer).toEqual({ action: 'reassign' });
    const third = asking(3);
    third.recoveries.answer('t', { action: 'reassign' });
    third.recoveries.answer('t', { action: 'continue', generation: 5 });
    expect(await third.answer).toEqual({ action: 'reassign' });
  });
});
