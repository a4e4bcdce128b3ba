/** Tasks from their submission until they are forgotten: idempotency keys, cancelling, retention. */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.ts';
import { status } from './fixture.ts';
import type { StartHub } from './fixture.ts';

export function describeTasks(startHub: StartHub): void {
  describe('cancelling', () => {
    test('a queued task is cancelled at once, a running one with word to its worker, a finished one not at all', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      const running = await hub.submit();
      const queued = await hub.submit();
      const assigned = await worker.accept();
      expect((await hub.call('POST', `/api/tasks/${queued}/cancel`)).body.status).toBe('cancelled');
      await hub.call('POST', `/api/tasks/${running}/cancel`, { reason: 'not needed' });
      expect(await worker.next('task_cancelled')).toMatchObject({ task_id: running, reason: 'not needed' });
      worker.complete(assigned);
      expect(await worker.next('error')).toMatchObject({ error: 'task_complete_failed: invalid_state' });
      expect((await hub.call('POST', `/api/tasks/${running}/cancel`)).status).toBe(200);
      const done = await hub.submit();
      worker.complete(await worker.accept());
      await worker.next('task_ack', { status: 'complete' });
      expect((await hub.call('POST', `/api/tasks/${done}/cancel`)).body.code).toBe('hub_task_state');
    });
  });

  describe('idempotency keys', () => {
    test('the same key gives the same task, also when the submissions meet', async () => {
      const hub = await startHub();
      const submit = () =>
        hub.call('POST', '/api/tasks', { description: 'once' }, { 'idempotency-key': 'order-7' });
      const answers = await Promise.all(Array.from({ length: 10 }, submit));
      expect(new Set(answers.map(({ body }) => body.task_id)).size).toBe(1);
      expect(answers.map((one) => one.status).sort((a, b) => a - b)).toEqual([
        ...Array.from({ length: 9 }, () => 200),
        201,
      ]);
      expect((await hub.get('/api/tasks')).body.total).toBe(1);
    });

    test('the same key with another submission is refused', async () => {
      const hub = await startHub();
      await hub.submit({ idempotency_key: 'k' });
      const { status: code, body } = await hub.call('POST', '/api/tasks', {
        description: 'else',
        idempotency_key: 'k',
      });
      expect([code, body.code]).toEqual([422, 'hub_idempotency_conflict']);
    });
  });

  test('events of a task that ended long ago are removed; the task and its result stay', async () => {
    const clock = new ManualClock();
    const hub = await startHub({ clock, eventRetentionDays: 1 });
    const worker = await hub.worker();
    const old = await hub.submit();
    worker.complete(await worker.accept());
    await worker.next('task_ack', { status: 'complete' });
    await worker.leave();
    const waiting = await hub.submit();
    await clock.advance(25 * 3_600_000);
    let left = 1;
    while (left > 0) {
      await clock.advance(6 * 3_600_000);
      left = (await hub.get(`/api/tasks/${old}/events`)).body.events.length;
    }
    expect(await status(hub, old)).toMatchObject({ status: 'success', result: { output: 'Done.' } });
    expect((await hub.get(`/api/tasks/${waiting}/events`)).body.events).toHaveLength(1);
  });
}
