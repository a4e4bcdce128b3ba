/** Several workers on one task: who gets it, whose result counts, what it costs. */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Json, TestHub } from '../hub-fixture.ts';
import type { Heard, SimulatedWorker } from '../simulated-worker.ts';
import { checks } from '../checks-report.ts';
import { happened, status, wait } from './fixture.ts';
import type { NewDatabase, StartHub } from './fixture.ts';
import { testHub } from '../hub-fixture.ts';

const verified = { status: 'success', verification_status: 'verified', tokens_in: 100, tokens_out: 10 };
const partial = { ...verified, status: 'partial', verification_status: 'partial_pass' };

/** So many workers, each with its member of a new race. */
async function race(hub: TestHub, size: number, fields: Record<string, unknown> = {}) {
  const id = await hub.submit({ race: size, ...fields });
  const workers: SimulatedWorker[] = [];
  const assigned: Heard[] = [];
  for (let number = 1; number <= size; number += 1) {
    const worker = await hub.worker({ agentId: `w${number}` });
    workers.push(worker);
    assigned.push(await worker.accept());
  }
  return { id, workers, assigned };
}

const stateOf = (task: Json) => task.members.map(({ status: one }: Json) => one);

export function describeRaces(startHub: StartHub, newDatabase: NewDatabase): void {
  describe('races', () => {
    test('each worker attempts it; the first verified result wins and the others are cancelled at once', async () => {
      const hub = await startHub();
      const { id, workers, assigned } = await race(hub, 3, { metadata: { mine: 1 } });
      const [first, second, third] = workers;
      expect(assigned.map((one) => one.race)).toEqual([1, 2, 3].map((member) => ({ member, of: 3 })));
      expect(assigned.map((one) => one.metadata)).toEqual([{ mine: 1 }, { mine: 1 }, { mine: 1 }]);
      expect(await status(hub, id)).toMatchObject({ status: 'running', race: 3, worker_id: null });

      second?.complete(assigned[1] as Heard, { ...verified, output: 'from w2' });
      for (const [index, other] of [first, third].entries()) {
        const told = await other?.next('task_cancelled');
        expect(told?.task_id).toBe(assigned[index * 2]?.task_id);
      }
      expect(await status(hub, id)).toMatchObject({
        status: 'success',
        worker_id: 'w2',
        verification_status: 'verified',
        race_winner: `${id}-r2`,
        result: { output: 'from w2' },
      });
      expect(stateOf(await status(hub, id))).toEqual(['cancelled', 'success', 'cancelled']);
    });

    test('costs of those that were cancelled are counted', async () => {
      const hub = await startHub();
      const { id, workers, assigned } = await race(hub, 2);
      workers[0]?.complete(assigned[0] as Heard, { ...verified, estimated_cost_usd: 0.5 });
      await workers[1]?.next('task_cancelled');
      const used = { tokens_in: 40, tokens_out: 4, cost_usd: 0.25 };
      workers[1]?.event(assigned[1]?.task_id, { event_type: 'status', text: 'Cancelled', used });
      await happened(hub, id, 'figures');
      const sums = { tokens_in: 140, tokens_out: 14, estimated_cost_usd: 0.75 };
      expect(await status(hub, id)).toMatchObject({ status: 'success', ...sums });
      // The whole hub counts a race once.
      const { tasks, totals } = (await hub.get('/api/stats')).body;
      expect(totals).toEqual(sums);
      expect(tasks).toMatchObject({ success: 1, cancelled: 0 });
    });

    test('two verified results that cross give one result; the other is refused and its costs count', async () => {
      const hub = await startHub();
      const { id, workers, assigned } = await race(hub, 2);
      workers.forEach((worker, index) =>
        worker.complete(assigned[index] as Heard, { ...verified, output: `from ${index}` }),
      );
      await happened(hub, id, 'figures');
      const task = await status(hub, id);
      const loser = workers[task.race_winner === `${id}-r1` ? 1 : 0];
      expect(await loser?.next('error')).toMatchObject({ error: 'task_complete_failed: invalid_state' });
      expect(stateOf(task).sort()).toEqual(['cancelled', 'success']);
      expect(task.result.output).toBe(`from ${task.race_winner === `${id}-r1` ? 0 : 1}`);
      expect(task).toMatchObject({ tokens_in: 200, tokens_out: 20 });
      const { events } = (await hub.get(`/api/tasks/${id}/events`)).body;
      expect(events.filter(({ body }: Json) => body.reason === 'completed')).toHaveLength(1);
    });

    test('when nobody is verified the one that came closest counts: checks, then changed lines', async () => {
      const hub = await startHub();
      const { id, workers, assigned } = await race(hub, 3);
      const changed = (additions: number) => ({
        changes: { files: [{ path: 'a', status: 'modified', additions, deletions: 0 }], patch: '' },
      });
      const handIn = (index: number, passing: number, lines: number) =>
        workers[index]?.complete(assigned[index] as Heard, {
          ...partial,
          ...changed(lines),
          verification_report: checks(passing, 3),
          follow_up: { description: 'rest', metadata: { follow_up_of: assigned[index]?.task_id } },
        });
      handIn(0, 1, 1);
      await happened(hub, id, 'Member 1 of 3 (w1) ended: partial_pass');
      expect((await status(hub, id)).status).toBe('running');
      handIn(1, 2, 9);
      await happened(hub, id, 'Member 2 of 3 (w2) ended: partial_pass');
      handIn(2, 2, 3);
      await happened(hub, id, 'completed');
      expect(await status(hub, id)).toMatchObject({
        status: 'partial',
        worker_id: 'w3',
        tokens_in: 300,
        has_follow_up: true,
        result: { follow_up: { metadata: { follow_up_of: id } } },
      });
    });

    test('a lone worker gets one member, keeps room for other tasks, and its result ends the race', async () => {
      const hub = await startHub();
      const worker = await hub.worker({ capacity: 3 });
      const id = await hub.submit({ race: 3 });
      const other = await hub.submit();
      const [one, two] = [await worker.accept(), await worker.accept()];
      expect([one.task_id, two.task_id]).toEqual([`${id}-r1`, other]);
      const waiting = await status(hub, `${id}-r2`);
      expect(waiting).toMatchObject({
        status: 'queued',
        waiting_for: 'a worker that has no part in its race yet',
      });
      worker.complete(one, partial);
      await happened(hub, id, 'completed');
      expect(await status(hub, id)).toMatchObject({ status: 'partial', worker_id: 'worker-1' });
      expect(stateOf(await status(hub, id))).toEqual(['partial', 'cancelled', 'cancelled']);
    });

    test('a worker that is lost costs the race nothing: the others go on', async () => {
      const hub = await startHub();
      const { id, workers, assigned } = await race(hub, 2, { max_attempts: 1 });
      workers[0]?.socket.terminate();
      await happened(hub, id, 'Member 1 of 2 lost its worker; the race goes on');
      workers[1]?.complete(assigned[1] as Heard, verified);
      await happened(hub, id, 'completed');
      expect(await status(hub, id)).toMatchObject({
        status: 'success',
        worker_id: 'w2',
        attempts: 0,
        tokens_in: 100,
      });
      const back = await hub.worker({ agentId: 'w1' });
      back.complete(assigned[0] as Heard, verified);
      expect(await back.next('error')).toMatchObject({ error: 'task_complete_failed: stale_generation' });
      expect((await status(hub, id)).tokens_in).toBe(100);
    });

    test('a worker that does not come back is waited for only so long once the others have ended', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock });
      const { id, workers, assigned } = await race(hub, 2);
      workers[0]?.socket.terminate();
      await happened(hub, id, 'Member 1 of 2 lost its worker; the race goes on');
      workers[1]?.complete(assigned[1] as Heard, partial);
      await happened(hub, id, 'Member 2 of 2 (w2) ended: partial_pass');
      expect((await status(hub, id)).status).toBe('queued');
      await wait(clock, 16_000, workers.slice(1));
      await happened(hub, id, 'completed');
      expect(await status(hub, id)).toMatchObject({ status: 'partial', worker_id: 'w2' });
    });

    test('has no lease of its own that could end while its members work', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock });
      const { id, workers, assigned } = await race(hub, 2);
      workers[0]?.socket.terminate();
      await happened(hub, id, 'Member 1 of 2 lost its worker; the race goes on');
      await wait(clock, 120_000, workers.slice(1));
      expect(await status(hub, id)).toMatchObject({ status: 'running', generation: 0 });
      workers[1]?.complete(assigned[1] as Heard, partial);
      await happened(hub, id, 'completed');
      expect((await status(hub, id)).status).toBe('partial');
    });

    test('a race that fails everywhere is a dead letter and can be tried again', async () => {
      const hub = await startHub();
      const { id, workers, assigned } = await race(hub, 2, { max_attempts: 1 });
      workers.forEach((worker, index) => {
        const { task_id, generation } = assigned[index] as Heard;
        worker.say('task_failed', { task_id, generation, error: `stall of ${index}` });
      });
      await happened(hub, id, 'dead_letter');
      expect(await status(hub, id)).toMatchObject({
        status: 'dead_letter',
        error: expect.stringMatching(/^stall of [01]$/),
      });
      const member = await hub.call('POST', `/api/tasks/${id}-r1/retry`);
      expect(member.status).toBe(409);
      expect((await hub.call('POST', `/api/tasks/${id}/retry`)).body.status).toBe('queued');
      const again = await Promise.all(workers.map((worker) => worker.accept()));
      workers[0]?.complete(again[0] as Heard, verified);
      await happened(hub, id, 'completed');
      expect(await status(hub, id)).toMatchObject({ status: 'success', error: null });
    });

    test('cancelling, steering and listing concern the race as a whole', async () => {
      const hub = await startHub();
      const { id, workers } = await race(hub, 2);
      expect((await hub.call('POST', `/api/tasks/${id}/steer`, { text: 'use tabs' })).status).toBe(202);
      for (const worker of workers) expect(await worker.next('steer')).toMatchObject({ text: 'use tabs' });
      const { tasks, total } = (await hub.get('/api/tasks')).body;
      expect([tasks.map(({ task_id: one }: Json) => one), total]).toEqual([[id], 1]);
      await hub.call('POST', `/api/tasks/${id}/cancel`, { reason: 'enough' });
      for (const worker of workers)
        expect(await worker.next('task_cancelled')).toMatchObject({ reason: 'enough' });
      expect((await status(hub, id)).status).toBe('cancelled');
      expect(stateOf(await status(hub, id))).toEqual(['cancelled', 'cancelled']);
    });

    test('shows what its members ask, for each to be answered', async () => {
      const hub = await startHub();
      const { id, workers, assigned } = await race(hub, 2);
      for (const [index, worker] of workers.entries()) {
        const asked = { approval_id: 'a1', kind: 'question', summary: `from ${index}` };
        worker.say('approval_request', { task_id: assigned[index]?.task_id, ...asked });
        worker.say('ping');
        await worker.next('pong');
      }
      const pending = (await status(hub, id)).approvals;
      expect(pending.map(({ task_id: one, summary }: Json) => [one, summary])).toEqual([
        [`${id}-r1`, 'from 0'],
        [`${id}-r2`, 'from 1'],
      ]);
      const answer = { approval_id: 'a1', decision: 'accepted' };
      await hub.call('POST', `/api/tasks/${id}-r2/approvals`, answer);
      expect(await workers[1]?.next('approval_response')).toMatchObject({ task_id: `${id}-r2` });
      const { events } = (await hub.get(`/api/tasks/${id}/events`)).body;
      const told = events
        .filter(({ kind }: Json) => kind === 'approval')
        .map(({ body }: Json) => body.status);
      expect(told).toEqual(['pending', 'pending', 'accepted']);
    });

    test('goes on after a restart of the hub, with one result', async () => {
      const database = await newDatabase();
      const hub = await testHub({ database, random: () => 0 });
      const { id, assigned } = await race(hub, 2);
      await hub.hub.close();

      const later = await testHub({ database, random: () => 0 });
      const workers = [await later.worker({ agentId: 'w1' }), await later.worker({ agentId: 'w2' })];
      for (const [index, worker] of workers.entries()) {
        worker.say('task_recovering', { task_id: assigned[index]?.task_id });
        await worker.next('task_continue');
        worker.say('task_accepted', { task_id: assigned[index]?.task_id });
        await worker.next('task_ack', { status: 'accepted' });
      }
      workers[1]?.complete(assigned[1] as Heard, verified);
      expect(await workers[0]?.next('task_cancelled')).toMatchObject({ task_id: `${id}-r1` });
      expect(await status(later, id)).toMatchObject({ status: 'success', worker_id: 'w2' });
    });
  });
}
