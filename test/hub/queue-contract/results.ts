/** What ends an attempt, and what follows from it. */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Json } from '../hub-fixture.ts';
import { finishedResult } from '../simulated-worker.ts';
import { due, happened, status, wait } from './fixture.ts';
import type { StartHub } from './fixture.ts';

export function describeResults(startHub: StartHub): void {
  describe('results', () => {
    test('exactly one result is accepted; the same one again is acknowledged again, another is refused', async () => {
      const hub = await startHub();
      const { worker, id, assigned } = await hub.running();
      worker.complete(assigned, { output: 'first' });
      expect(await worker.next('task_ack')).toMatchObject({ status: 'complete' });
      worker.complete(assigned, { output: 'second' });
      expect(await worker.next('task_ack')).toMatchObject({ status: 'complete' });
      expect((await status(hub, id)).result.output).toBe('first');
      worker.complete({ ...assigned, generation: 0 });
      expect(await worker.next('error')).toMatchObject({ error: 'task_complete_failed: stale_generation' });
      worker.complete({ ...assigned, task_id: 'task-unknown' });
      expect(await worker.next('error')).toMatchObject({ error: 'task_complete_failed: not_found' });
      const reasons = (await hub.get(`/api/tasks/${id}/events`)).body.events.map(
        (one: Json) => one.body.reason,
      );
      expect(reasons.filter((reason: string) => reason === 'completed')).toHaveLength(1);
      expect(reasons).not.toContain('figures');
    });

    test('after the end of a task another ending is refused, not acknowledged', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      const endings = [
        ['success', 'task_fail_failed: invalid_state'],
        ['dead_letter', 'task_complete_failed: invalid_state'],
      ] as const;
      for (const [end, refusal] of endings) {
        const id = await hub.submit({ max_attempts: 1 });
        const assigned = await worker.accept();
        if (end === 'success') worker.complete(assigned);
        worker.fail(assigned, 'boom');
        if (end === 'dead_letter') worker.complete(assigned);
        expect(await worker.next('error')).toMatchObject({ task_id: id, error: refusal });
        expect((await status(hub, id)).status).toBe(end);
      }
    });

    test('figures that no run can have count as not told, and spoil no totals', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      const id = await hub.submit();
      await worker.finish(await worker.accept(), {
        tokens_in: -5,
        tokens_out: Number.MAX_SAFE_INTEGER,
        estimated_cost_usd: -3,
        iterations_used: -1,
      });
      expect(await status(hub, id)).toMatchObject({
        tokens_in: null,
        tokens_out: null,
        estimated_cost_usd: null,
        iterations_used: null,
      });
      const { totals } = (await hub.get('/api/stats')).body;
      expect(totals).toEqual({ tokens_in: 0, tokens_out: 0, estimated_cost_usd: 0 });
    });

    test('a result of another worker is refused', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      const thief = await hub.worker({ agentId: 'thief', labels: ['x'] });
      await hub.submit({ agent_id: 'worker-1' });
      const assigned = await worker.accept();
      thief.complete(assigned);
      expect(await thief.next('error')).toMatchObject({ error: 'task_complete_failed: stale_generation' });
      thief.event(assigned.task_id, { event_type: 'status', text: 'forged' });
      await thief.ping();
      await worker.finish(assigned);
      const { events } = (await hub.get(`/api/tasks/${String(assigned.task_id)}/events`)).body;
      expect(JSON.stringify(events)).not.toContain('forged');
    });

    test('failures are tried again with a growing wait, then the task is a dead letter that can be revived', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock, maxAttempts: 3 });
      const worker = await hub.worker();
      const id = await hub.submit();
      const waits: number[] = [];
      for (const expected of ['retried', 'retried', 'dead_letter']) {
        const assigned = await worker.accept();
        worker.fail(assigned, 'model_error after 1 iterations');
        expect(await worker.next('task_ack')).toMatchObject({ status: expected });
        const task = await status(hub, id);
        if (expected === 'retried') {
          waits.push(task.not_before - clock.now());
          await wait(clock, task.not_before - clock.now(), [worker]);
        }
      }
      expect(waits).toEqual([2_000, 4_000]);
      expect(await status(hub, id)).toMatchObject({
        status: 'dead_letter',
        failures: 3,
        error: 'model_error after 1 iterations',
      });
      const again = (await hub.call('POST', `/api/tasks/${id}/retry`)).body;
      expect(again).toMatchObject({ status: 'queued', accepted_at: null });
      expect(await worker.accept()).toMatchObject({ task_id: id });
    });

    test('a task that waits for its next attempt has no time of work that goes on', async () => {
      const hub = await startHub({ maxAttempts: 3 });
      const worker = await hub.worker();
      const failing = await hub.submit();
      worker.fail(await worker.accept(), 'model_error after 1 iterations');
      await worker.next('task_ack', { task_id: failing, status: 'retried' });
      expect(await status(hub, failing)).toMatchObject({ status: 'queued', accepted_at: null });
      const lost = await hub.submit();
      await worker.accept();
      await worker.leave();
      await happened(hub, lost, 'worker_lost');
      expect(await status(hub, lost)).toMatchObject({ status: 'queued', accepted_at: null });
    });

    test.each([
      'workspace_repo_missing: There is no git repository at /nowhere',
      'model_error after 0 iterations: model_not_found: model nope:1b is not installed',
      'unsupported_target_type:claude',
    ])('a failure that would only happen again is not tried again: %s', async (error) => {
      const hub = await startHub({ maxAttempts: 3 });
      const worker = await hub.worker();
      const id = await hub.submit();
      worker.fail(await worker.accept(), error);
      expect(await worker.next('task_ack', { task_id: id, status: 'dead_letter' })).toBeDefined();
      expect(await status(hub, id)).toMatchObject({ status: 'dead_letter', failures: 1, error });
      expect((await hub.call('POST', `/api/tasks/${id}/retry`)).body.status).toBe('queued');
      expect(await worker.accept()).toMatchObject({ task_id: id });
    });

    test('a failed task keeps the result that came with the failure', async () => {
      const hub = await startHub();
      const { worker, id, assigned } = await hub.running({ max_attempts: 1 });
      worker.fail(assigned, 'stall after 4 iterations: nothing changed', {
        result: { ...finishedResult, status: 'failed', termination_reason: 'stall' },
      });
      await worker.next('task_ack', { status: 'dead_letter' });
      expect(await status(hub, id)).toMatchObject({
        termination_reason: 'stall',
        result: { status: 'failed' },
      });
    });

    test('a busy worker costs no attempt', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock, maxAttempts: 1 });
      const worker = await hub.worker();
      const id = await hub.submit();
      const assigned = await worker.next('task_assign');
      worker.fail(assigned, 'worker_busy: queue is full');
      expect(await worker.next('task_ack')).toMatchObject({ status: 'retried' });
      await wait(clock, 6_000, [worker]);
      expect(await due(clock, worker.accept())).toMatchObject({ task_id: id });
    });
  });
}
