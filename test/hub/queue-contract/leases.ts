/** Tasks whose worker or hub was lost. */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.ts';
import type { HubOptions } from '../../../sidecar/hub/hub.ts';
import { testHub } from '../hub-fixture.ts';
import type { Json } from '../hub-fixture.ts';
import { due, happened, status, wait } from './fixture.ts';
import type { NewDatabase, StartHub } from './fixture.ts';

export function describeLeases(startHub: StartHub, newDatabase: NewDatabase): void {
  describe('leases', () => {
    test('progress renews the lease; ten minutes of silence lose the task', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock });
      const worker = await hub.worker();
      const id = await hub.submit();
      const first = await worker.accept();
      await wait(clock, 540_000, [worker]);
      worker.event(id, { event_type: 'status', text: 'still loading' });
      await worker.ping();
      await clock.advance(25);
      await happened(hub, id, 'still loading');
      await wait(clock, 540_000, [worker]);
      expect(await status(hub, id)).toMatchObject({ status: 'running', generation: first.generation });
      await wait(clock, 120_000, [worker]);
      const again = await due(clock, worker.next('task_assign'));
      expect(again.task_id).toBe(id);
      expect(Number(again.generation)).toBeGreaterThan(Number(first.generation));
      worker.complete(first);
      expect(await worker.next('error')).toMatchObject({ error: 'task_complete_failed: stale_generation' });
    });

    test('a worker that comes back gets its own task first, whatever waits', async () => {
      const hub = await startHub({ clock: new ManualClock() });
      const { worker, id } = await hub.running();
      await hub.submit({ priority: 10 });
      await worker.leave();
      await happened(hub, id, 'worker_lost');
      const again = await hub.worker();
      expect(await again.next('task_assign')).toMatchObject({ task_id: id });
    });

    test('another worker takes over when the lost one does not come back in time', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock });
      const lost = await hub.worker({ agentId: 'lost' });
      const id = await hub.submit();
      await lost.accept();
      const other = await hub.worker({ agentId: 'other' });
      await lost.leave();
      await happened(hub, id, 'worker_lost');
      await wait(clock, 14_000, [other]);
      expect(other.types()).not.toContain('task_assign');
      await wait(clock, 2_000, [other]);
      expect(await due(clock, other.next('task_assign'))).toMatchObject({ task_id: id });
    });

    test('a task that workers have begun and give back over and over is a dead letter in the end', async () => {
      const hub = await startHub({ timings: { reclaimsPerAttempt: 1, retryMinMs: 1 } });
      const id = await hub.submit({ max_attempts: 2 });
      for (const agentId of ['one', 'two', 'three']) {
        const worker = await hub.worker({ agentId });
        worker.fail(await worker.accept(), 'worker_model_away: no server');
        await worker.next('task_ack');
      }
      expect(await status(hub, id)).toMatchObject({ status: 'dead_letter', failures: 0 });
    });

    test('a task that loses its worker over and over is a dead letter in the end', async () => {
      const hub = await startHub({ timings: { reclaimsPerAttempt: 1 } });
      const id = await hub.submit({ max_attempts: 2 });
      for (let count = 0; count < 3; count += 1) {
        const worker = await hub.worker();
        await worker.next('task_assign');
        await worker.leave();
      }
      await happened(hub, id, 'dead_letter');
      expect(await status(hub, id)).toMatchObject({ status: 'dead_letter' });
    });
  });

  describe('a hub that ends and starts again on the same database', () => {
    /** A task that a worker of the first hub has accepted; `restart` starts the next hub. */
    async function begun(options: HubOptions = {}) {
      const database = await newDatabase();
      const first = await testHub({ database, ...options });
      const token = await first.hub.issueToken('worker', 'worker-1');
      const restart = () => testHub({ database, ...options });
      return { first, token, restart, ...(await first.running({}, { token })) };
    }

    test('keeps tasks, events and assignments; the worker goes on with state_report and task_accepted', async () => {
      const { first, token, restart, worker, id, assigned } = await begun();
      const waiting = await first.submit({ labels: ['nobody'] });
      worker.event(id, { event_type: 'status', text: 'before', seq: 1 });
      await worker.ping();
      await first.hub.close();
      const second = await restart();
      const again = await second.worker({ token });
      expect(await status(second, id)).toMatchObject({ status: 'running', generation: assigned.generation });
      again.say('state_report', { task_id: id, status: 'working', generation: assigned.generation });
      expect(await again.next('state_report_ack')).toMatchObject({ task_id: id, action: 'continue' });
      again.say('task_accepted', { task_id: id });
      await again.next('task_ack', { status: 'accepted' });
      again.event(id, { event_type: 'status', text: 'after', seq: 2 });
      await again.finish(assigned);
      const { events } = (await second.get(`/api/tasks/${id}/events`)).body;
      expect(events.map((one: Json) => one.body.text ?? one.body.reason)).toEqual([
        'submitted',
        'assigned',
        'accepted',
        'before',
        'after',
        'completed',
      ]);
      expect(await status(second, waiting)).toMatchObject({ status: 'queued' });
    });

    test('keeps what a worker did while it was away, where the task has ended since', async () => {
      const { first, token, restart, id, assigned } = await begun();
      await first.hub.close();
      const second = await restart();
      const again = await second.worker({ token });
      again.event(id, { event_type: 'status', text: 'while away', seq: 1 });
      await again.finish(assigned);
      again.event(id, { event_type: 'status', text: 'too late', seq: 2 });
      await again.ping();
      const { events } = (await second.get(`/api/tasks/${id}/events`)).body;
      expect(events.slice(-2).map((one: Json) => one.body.text ?? one.body.reason)).toEqual([
        'while away',
        'completed',
      ]);
    });

    test('takes a task back whose worker does not come within a minute', async () => {
      const clock = new ManualClock();
      const { first, restart, id } = await begun({ clock });
      await first.hub.close();
      await clock.advance(3_600_000);
      const second = await restart();
      const other = await second.worker({ agentId: 'other' });
      await wait(clock, 59_000, [other]);
      expect((await status(second, id)).status).toBe('running');
      await wait(clock, 2_000, [other]);
      expect(await due(clock, other.next('task_assign'))).toMatchObject({ task_id: id });
    });

    test('a worker that comes back without a word about a task has its place free again within seconds', async () => {
      const clock = new ManualClock();
      const { first, token, restart, id, assigned: lost } = await begun({ clock });
      await first.hub.close();
      const second = await restart();
      const again = await second.worker({ token });
      await wait(clock, 4_900, [again]);
      expect(again.types()).not.toContain('task_assign');
      await wait(clock, 200, [again]);
      const assigned = await due(clock, again.next('task_assign', { task_id: id }));
      expect(assigned.generation).toBeGreaterThan(Number(lost.generation));
    });

    test('a worker that was killed asks and goes on with its task', async () => {
      const hub = await startHub();
      const { worker, id } = await hub.running();
      await worker.leave();
      const again = await hub.worker();
      const assigned = await again.next('task_assign', { task_id: id });
      again.say('task_recovering', { task_id: id });
      expect(await again.next('task_continue')).toMatchObject({
        task_id: id,
        generation: assigned.generation,
      });
      again.say('task_recovering', { task_id: 'task-unknown' });
      expect(await again.next('task_reassign')).toMatchObject({ task_id: 'task-unknown' });
    });
  });
}
