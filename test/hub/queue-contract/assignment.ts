/** Which task goes to which worker, and when. */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.ts';
import { due, status, wait } from './fixture.ts';
import type { StartHub } from './fixture.ts';

export function describeAssignment(startHub: StartHub): void {
  describe('order', () => {
    test('higher priority goes first, then the order of submission', async () => {
      const hub = await startHub();
      const low = await hub.submit({ priority: -1 });
      const first = await hub.submit();
      const second = await hub.submit();
      const high = await hub.submit({ priority: 5 });
      const worker = await hub.worker({ capacity: 1 });
      const order: unknown[] = [];
      for (let count = 0; count < 4; count += 1) {
        const assigned = await worker.accept();
        order.push(assigned.task_id);
        worker.complete(assigned);
      }
      expect(order).toEqual([high, first, second, low]);
    });

    test('a delayed task starts when its time has come and not before', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock });
      const worker = await hub.worker();
      const id = await hub.submit({ delay_ms: 90_000 });
      await wait(clock, 89_000, [worker]);
      expect(worker.types()).not.toContain('task_assign');
      expect((await status(hub, id)).waiting_for).toBe('its start time');
      await wait(clock, 1_000, [worker]);
      expect(await due(clock, worker.next('task_assign'))).toMatchObject({ task_id: id });
    });
  });

  describe('assignment', () => {
    test('a worker gets as many tasks as it has capacity', async () => {
      const hub = await startHub();
      for (let count = 0; count < 5; count += 1) await hub.submit();
      const worker = await hub.worker({ capacity: 3 });
      const got = [await worker.accept(), await worker.accept(), await worker.accept()];
      expect((await hub.get('/api/stats')).body.tasks).toMatchObject({ running: 3, queued: 2 });
      worker.complete(got[0]!);
      await worker.accept();
      expect((await hub.get('/api/workers')).body.workers[0]).toMatchObject({ load: 3, capacity: 3 });
    });

    test('labels, model and worker id decide who may run a task; the idle worker comes first', async () => {
      const hub = await startHub();
      const small = await hub.worker({ agentId: 'small', models: ['llama3.2:3b'], capacity: 4 });
      const big = await hub.worker({
        agentId: 'big',
        models: ['qwen3:latest'],
        labels: ['gpu', 'docker'],
        capacity: 4,
      });
      const byModel = await hub.submit({ model: 'qwen3' });
      expect(await big.accept()).toMatchObject({
        task_id: byModel,
        routing_decision: { selected_model: 'qwen3' },
      });
      const byLabel = await hub.submit({ labels: ['gpu'] });
      expect(await big.accept()).toMatchObject({ task_id: byLabel });
      const byName = await hub.submit({ agent_id: 'big' });
      expect(await big.accept()).toMatchObject({ task_id: byName });
      const anybody = await hub.submit();
      expect(await small.accept()).toMatchObject({ task_id: anybody });
      const nobody = await hub.submit({ labels: ['arm'], model: 'phi4' });
      expect((await status(hub, nobody)).waiting_for).toBe(
        'a worker with the labels arm and with the model phi4:latest: none is connected',
      );
    });

    test('a worker that drains gets nothing new, is told so, and works again when it is let', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      await hub.call('POST', '/api/workers/worker-1/drain', { reason: 'new driver' });
      expect(await worker.next('drain')).toMatchObject({ reason: 'new driver' });
      const id = await hub.submit();
      expect((await status(hub, id)).waiting_for).toBe('a worker that is not draining');
      await worker.leave();
      const again = await hub.worker();
      await again.next('drain');
      await hub.call('POST', '/api/workers/worker-1/drain', { drain: false });
      expect(await again.next('task_assign')).toMatchObject({ task_id: id });
    });

    test('a worker that drains and loses its connection gets back what it runs, and nothing else', async () => {
      const hub = await startHub();
      const worker = await hub.worker({ capacity: 2 });
      const running = await hub.submit();
      await worker.accept();
      await hub.call('POST', '/api/workers/worker-1/drain', {});
      await worker.next('drain');
      const other = await hub.submit();
      await worker.leave();
      const again = await hub.worker({ capacity: 2 });
      const assigned = await again.accept();
      expect(assigned.task_id).toBe(running);
      again.complete(assigned);
      await again.next('task_ack', { status: 'complete' });
      expect((await status(hub, other)).status).toBe('queued');
      expect((await hub.get('/api/workers')).body.workers).toMatchObject([
        { connected: true, draining: true, load: 0 },
      ]);
    });
  });
}
