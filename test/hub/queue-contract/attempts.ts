/** Figures of a task are those of all its attempts, however each of them ended. */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Json, TestHub } from '../hub-fixture.ts';
import { finishedResult } from '../simulated-worker.ts';
import { happened, status, wait } from './fixture.ts';
import type { StartHub } from './fixture.ts';

const failed = { ...finishedResult, status: 'failed', termination_reason: 'stall' };

const STALL = 'stall after 4 iterations';

/** What a worker says that it has used for a task in all. */
const used = (tokensIn: number, tokensOut: number, iterations: number) => ({
  tokens_in: tokensIn,
  tokens_out: tokensOut,
  cost_usd: tokensIn / 1000,
  iterations,
});

const totals = async (hub: TestHub): Promise<Json> => (await hub.get('/api/stats')).body.totals;

export function describeAttempts(startHub: StartHub): void {
  describe('figures of several attempts', () => {
    test('are added up: of failures, retries and the result', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock, maxAttempts: 2 });
      const worker = await hub.worker();
      const id = await hub.submit();
      for (const expected of ['retried', 'dead_letter']) {
        const assigned = await worker.accept();
        await clock.advance(1_000);
        worker.fail(assigned, STALL, { result: failed });
        await worker.next('task_ack', { status: expected });
        await wait(clock, 5_000, [worker]);
      }
      await hub.call('POST', `/api/tasks/${id}/retry`);
      const assigned = await worker.accept();
      await clock.advance(3_000);
      await worker.finish(assigned);
      const sums = { tokens_in: 3600, tokens_out: 1020, estimated_cost_usd: expect.closeTo(0.0063, 9) };
      const task = await status(hub, id);
      expect(task).toMatchObject({ ...sums, iterations_used: 9, worked_ms: 5_000, failures: 0 });
      const own = { worker_id: 'worker-1', model: 'qwen3:8b', tokens_in: 1200, tokens_out: 340 };
      const ofFailed = { ...own, ending: 'failed', error: STALL };
      expect(task.attempts).toMatchObject([
        { ...ofFailed, estimated_cost_usd: 0.0021, iterations_used: 3 },
        ofFailed,
        { ...own, ending: 'success', error: null },
      ]);
      const [first] = task.attempts;
      expect(first.ended_at - first.started_at).toBe(1_000);
      expect((await hub.get('/api/tasks')).body.tasks).toMatchObject([{ ...sums, iterations_used: 9 }]);
      expect(await totals(hub)).toEqual(sums);
      const { days, models } = (await hub.get('/api/overview')).body;
      expect(days).toMatchObject([{ tasks: 2, tokens_in: 3600, tokens_out: 1020 }]);
      expect(models).toMatchObject([{ model: 'qwen3:8b', tokens_in: 3600, tokens_out: 1020 }]);
    });

    test('hold what a lost worker had used, and count nothing twice where it goes on', async () => {
      const hub = await startHub();
      const { worker, id } = await hub.running();
      worker.event(id, { event_type: 'status', text: 'one', model: 'm', used: used(100, 10, 1) });
      worker.event(id, { event_type: 'status', text: 'two', used: used(300, 30, 2) });
      await happened(hub, id, 'two');
      await worker.leave();
      await happened(hub, id, 'worker_lost');
      expect(await status(hub, id)).toMatchObject({
        tokens_in: 300,
        attempts: [{ worker_id: 'worker-1', model: 'm', tokens_in: 300, ending: 'worker_lost' }],
      });
      const again = await hub.worker();
      const assigned = await again.accept();
      again.event(id, { event_type: 'status', text: 'three', used: used(350, 35, 3) });
      again.fail(assigned, STALL, { used: used(400, 40, 4) });
      await again.next('task_ack', { status: 'retried' });
      const other = await hub.worker({ agentId: 'other' });
      await again.leave();
      const last = await other.accept();
      other.event(id, { event_type: 'status', text: 'four', used: used(20, 2, 1) });
      await happened(hub, id, 'four');
      const { events } = (await hub.get(`/api/tasks/${id}/events`)).body;
      const told = events.flatMap(({ body }: Json) => (body.used ? [body.used.tokens_in] : []));
      expect(told).toEqual([100, 300, 350, 420]);
      const { generation } = last;
      other.say('task_complete', {
        task_id: id,
        generation,
        result: finishedResult,
        used: used(1000, 100, 5),
      });
      await other.next('task_ack', { status: 'complete' });
      const task = await status(hub, id);
      expect(task).toMatchObject({ tokens_in: 1400, tokens_out: 140, iterations_used: 9 });
      expect(task.attempts.map((one: Json) => [one.worker_id, one.tokens_in, one.ending])).toEqual([
        ['worker-1', 300, 'worker_lost'],
        ['worker-1', 100, 'failed'],
        ['other', 1000, 'success'],
      ]);
      expect(await totals(hub)).toMatchObject({ tokens_in: 1400, tokens_out: 140 });
    });

    test('a task on hold says why and since when, until it goes on; its next worker begins without', async () => {
      const hub = await startHub({ timings: { preferenceMs: 1 } });
      const { worker, id } = await hub.running();
      const hold = (reason: string) =>
        worker.event(id, { event_type: 'status', text: `hold: ${reason}`, on_hold: reason });
      const beforeMs = Date.now();
      hold('no Ollama');
      await happened(hub, id, 'hold');
      const { on_hold: known } = await status(hub, id);
      expect(known).toEqual({ reason: 'no Ollama', since: expect.any(Number) });
      expect(known.since).toBeGreaterThanOrEqual(beforeMs);
      hold('');
      await happened(hub, id, 'hold: ');
      expect((await status(hub, id)).on_hold).toBeNull();
      hold('no disk');
      await happened(hub, id, 'hold: no disk');
      await worker.leave();
      await (await hub.worker({ agentId: 'other' })).accept();
      expect(await status(hub, id)).toMatchObject({ status: 'running', on_hold: null });
    });

    test('a cancelled task keeps what came before, and gets what its worker tells afterwards', async () => {
      const hub = await startHub();
      const { worker, id } = await hub.running();
      worker.event(id, { event_type: 'status', text: 'one', used: used(100, 10, 1) });
      await happened(hub, id, 'one');
      await hub.call('POST', `/api/tasks/${id}/cancel`);
      await worker.next('task_cancelled');
      const stranger = await hub.worker({ agentId: 'stranger' });
      stranger.event(id, { event_type: 'status', text: 'forged', used: used(9999, 1, 1) });
      await stranger.ping();
      worker.event(id, { event_type: 'status', text: 'Cancelled', used: used(150, 15, 2) });
      await happened(hub, id, 'figures');
      expect(await status(hub, id)).toMatchObject({
        tokens_in: 150,
        attempts: [{ tokens_in: 150, iterations_used: 2, ending: 'cancelled' }],
      });
      const { days } = (await hub.get('/api/overview')).body;
      expect(days).toMatchObject([{ tasks: 1, tokens_in: 150, tokens_out: 15 }]);
    });

    test('a task that was given to another worker gets what the first one tells late; nobody else adds to it', async () => {
      const hub = await startHub();
      const { worker, id } = await hub.running();
      const stranger = await hub.worker({ agentId: 'stranger' });
      stranger.event(id, { event_type: 'status', text: 'forged', used: used(9999, 1, 1) });
      await worker.leave();
      await happened(hub, id, 'worker_lost');
      await hub.call('POST', `/api/tasks/${id}/cancel`);
      const again = await hub.worker();
      again.event(id, { event_type: 'status', text: 'gone', used: used(50, 5, 1) });
      await happened(hub, id, 'figures');
      expect(await status(hub, id)).toMatchObject({ tokens_in: 50, attempts: [{ tokens_in: 50 }] });
    });
  });
}
