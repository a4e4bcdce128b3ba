/** Tasks from their submission on: idempotency keys, cancelling. */
import { describe, expect, test } from '@jest/globals';
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
}
