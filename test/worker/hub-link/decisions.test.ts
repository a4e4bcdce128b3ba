/** What the link decides without a socket: what to say again and when, what fits into a frame, how long to wait. */
import { describe, expect, test } from '@jest/globals';
import { AssignedTasks, isAcceptancePending } from '../../../sidecar/worker/hub-link/assigned-tasks.ts';
import { computeBackoffMs, parseCooldownMs } from '../../../sidecar/worker/hub-link/connection.ts';
import { FrameMeter } from '../../../sidecar/worker/hub-link/frame-meter.ts';
import { joinStreams, mergeEvents } from '../../../sidecar/worker/hub-link/progress.ts';

const task = (generation: number) => ({ task_id: 't', generation });

describe('waiting between connections', () => {
  test('doubles from a second to fifteen', () => {
    const middle = (attempt: number) => computeBackoffMs(attempt, () => 0.5);
    expect([0, 1, 2, 3, 4, 100].map(middle)).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000]);
  });
  test('is spread by half, within the bounds', () => {
    expect(computeBackoffMs(2, () => 0)).toBe(2000);
    expect(computeBackoffMs(2, () => 1)).toBe(6000);
    expect(computeBackoffMs(0, () => 0)).toBe(1000);
    expect(computeBackoffMs(10, () => 1)).toBe(15_000);
  });
  test('is as long as the hub says', () => {
    expect(parseCooldownMs('cooldown active: retry in 12s')).toBe(12_000);
    expect(parseCooldownMs('retry in 3 s')).toBe(3000);
    expect(parseCooldownMs('go away')).toBeUndefined();
  });
});

describe('the assigned tasks', () => {
  test('an assignment is what the hub said last, and is to be accepted anew', () => {
    const tasks = new AssignedTasks();
    tasks.markTaken('t', 5).frames = { askedGeneration: 5, acceptedCount: 1, isAcknowledged: true };
    const assigned = tasks.recordAssignment({ ...task(3), assigned_at: 7 });
    expect(assigned).toMatchObject({ generation: 3, assignedAt: 7, state: 'taken' });
    // An answer that names no generation is about the question.
    expect(assigned.frames).toEqual({ isAssigned: true, askedGeneration: 5 });
    expect(tasks.list()).toEqual([assigned]);
  });
  test('otherwise the newest generation holds', () => {
    const tasks = new AssignedTasks();
    tasks.recordAssignment(task(4));
    expect(tasks.markTaken('t', 3)).toMatchObject({ generation: 4, state: 'taken' });
    expect(tasks.markTaken('t', 6).generation).toBe(6);
    expect(tasks.markTaken('u').generation).toBe(0);
    tasks.delete('t');
    expect(tasks.get('t')).toBeUndefined();
  });
  test('on a new line nothing was said yet, and what nobody answered is void', () => {
    const tasks = new AssignedTasks();
    tasks.markTaken('t', 1).frames = { acceptedCount: 1, isAcknowledged: true };
    tasks.recordRecovering('u', 1);
    tasks.recordAssignment({ task_id: 'v', generation: 1 });
    tasks.onNewConnection();
    expect(tasks.list().map(({ taskId, state, frames }) => [taskId, state, frames])).toEqual([
      ['t', 'taken', {}],
      ['u', 'recovering', {}],
    ]);
  });
  test('what nobody said or answers is due, after 15 seconds again; what nobody took is not', () => {
    const tasks = new AssignedTasks();
    const running = tasks.markTaken('t', 1);
    tasks.recordRecovering('u', 1);
    tasks.recordAssignment({ task_id: 'v', generation: 1 });
    const due = (nowMs: number) => tasks.listDue(nowMs).map(({ taskId }) => taskId);
    expect(due(0)).toEqual(['t', 'u']);
    for (const { frames } of tasks.list()) frames.sentAtMs = 100;
    expect([due(15_099), due(15_100)]).toEqual([[], ['t', 'u']]);
    running.frames.isAcknowledged = true;
    expect([due(60_099), due(60_100)]).toEqual([['u'], ['t', 'u']]);
  });
  test('where a frame was dropped, what is not answered is due at once', () => {
    const tasks = new AssignedTasks();
    const lost = tasks.markTaken('t', 1);
    lost.frames = { acceptedCount: 1, sentAtMs: 50 };
    tasks.markTaken('u', 1).frames = { acceptedCount: 1, isAcknowledged: true, sentAtMs: 50 };
    tasks.onFrameDropped();
    expect(tasks.listDue(51)).toEqual([lost]);
  });
  test('a result waits for the acknowledgement of its acceptance, not for ever', () => {
    const tasks = new AssignedTasks();
    const known = tasks.markTaken('t', 1);
    const isPending = (frames: object) => isAcceptancePending(Object.assign(known, { frames }));
    expect([{}, { acceptedCount: 1 }, { acceptedCount: 2 }, { acceptedCount: 3 }].map(isPending)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(isPending({ acceptedCount: 1, isAcknowledged: true })).toBe(false);
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
    expect(meter.computeWaitMs('terminal')).toBe(1000);
    expect(meter.computeWaitMs('control')).toBe(4000);
    expect(meter.computeWaitMs('progress')).toBe(8000);
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
    meter.adoptFigures(20);
    expect(taken(meter, 'progress')).toBe(12);
    meter.adoptFigures(50);
    expect(taken(meter, 'progress')).toBe(0);
    meter.adoptFigures(-5, 120);
    expect(meter.computeWaitMs('terminal')).toBe(1000);
    meter.adoptFigures(50, 0);
    expect(meter.computeWaitMs('terminal')).toBe(1000);
  });
  test('waits as long as it is told to, and begins with nothing then', () => {
    const { meter, clock } = metered();
    clock.nowMs = 60_000;
    meter.block(90_000);
    expect(meter.computeWaitMs('terminal')).toBe(90_000);
    clock.nowMs = 149_999;
    expect(meter.tryTake('terminal')).toBe(false);
    clock.nowMs = 150_000;
    expect(meter.tryTake('terminal')).toBe(true);
    const { meter: other } = metered();
    other.block(-1);
    expect(other.computeWaitMs('terminal')).toBe(2000);
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
  test('one goes as it is, with a line end where texts are appended; none is a mistake', () => {
    expect(mergeEvents([token('a'), token('b')], true)).toEqual(token('ab'));
    expect([mergeEvents([status('a')], true).text, mergeEvents([status('a')], false).text]).toEqual([
      'a',
      'a\n',
    ]);
    expect(() => mergeEvents([], true)).toThrow('no events to merge');
  });
  test('several are told by the last that is no stream, with the last figures known', () => {
    const events = [status('one', { tokens_so_far: 5, seq: 1 }), token('a', { seq: 2 }), token('', {})];
    expect(mergeEvents(events, false)).toEqual({
      event_type: 'status',
      text: 'one\na\n',
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
    expect(long(499)).toBe(`${'a'.repeat(250)}\n[… 1 characters omitted …]\n${'a'.repeat(248)}\nz`);
    const text = mergeEvents([status('b'.repeat(70_000)), token('z')], false).text;
    expect(text.length).toBeGreaterThan(64 * 1024);
    expect(text).toContain(`[… ${70_002 - 64 * 1024} characters omitted …]`);
  });
});
