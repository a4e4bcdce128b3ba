/** Where inputs or moments are unusual. */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Json, TestHub } from '../hub-fixture.ts';
import type { SimulatedWorker } from '../simulated-worker.ts';
import { happened, status } from './fixture.ts';
import type { StartHub } from './fixture.ts';

export function describeEdges(startHub: StartHub): void {
  test('tasks that nobody can run, however many kinds of them, hold up none of the others', async () => {
    const hub = await startHub();
    const absent = Array.from({ length: 210 }, (_, index) => hub.submit({ agent_id: `absent-${index}` }));
    await Promise.all(absent);
    const id = await hub.submit();
    const worker = await hub.worker();
    expect(await worker.accept()).toMatchObject({ task_id: id });
  });

  test('a search finds letters of every alphabet, as they were written and in the other case', async () => {
    const hub = await startHub();
    const id = await hub.submit({ description: 'Исправить Übung' });
    for (const q of ['Исправить', 'Übung']) {
      const { body } = await hub.get(`/api/tasks?q=${encodeURIComponent(q)}`);
      expect([q, body.tasks.map((one: Json) => one.task_id)]).toEqual([q, [id]]);
    }
  });

  test('texts with a NUL in them, from people and from workers, stop nothing', async () => {
    const hub = await startHub();
    const nul = 'a\u0000b';
    const { worker, id, assigned } = await hub.running({
      description: nul,
      repo: nul,
      max_attempts: 1,
      metadata: { [nul]: nul },
    });
    expect(assigned).toMatchObject({ description: nul, metadata: { [nul]: nul } });
    worker.event(id, { event_type: 'status', text: nul });
    worker.say('approval_request', { task_id: id, approval_id: 'q', kind: 'question', summary: nul });
    expect((await hub.call('POST', `/api/tasks/${id}/steer`, { text: nul })).status).toBe(202);
    await worker.next('steer');
    worker.fail(assigned, nul);
    await worker.next('task_ack', { status: 'dead_letter' });
    expect(worker.closed).toBeUndefined();
    expect((await status(hub, id)).error).toMatch(/^a.b$/su);
    for (const path of ['/api/tasks?q=%00', '/api/tasks?worker=%00']) {
      expect([path, (await hub.get(path)).status]).toEqual([path, 200]);
    }
    expect((await hub.get('/api/tasks/%00')).status).toBe(404);
  });

  describe('an approval that nobody waits for any more', () => {
    const ask = (worker: SimulatedWorker, id: string, approvalId: string): void =>
      worker.say('approval_request', {
        task_id: id,
        approval_id: approvalId,
        kind: 'question',
        summary: 'Which port?',
      });
    const asked = async (hub: TestHub, id: string): Promise<[string, string][]> =>
      (await status(hub, id)).approvals.map((one: Json) => [one.approval_id, one.status]);

    test('expires with its assignment, is told of, and cannot be answered', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock });
      const { worker, id } = await hub.running({}, { agentId: 'lost' });
      ask(worker, id, '1-question');
      await happened(hub, id, 'pending');
      await worker.leave();
      await happened(hub, id, 'expired');
      const answer = { approval_id: '1-question', decision: 'accepted' };
      expect((await hub.call('POST', `/api/tasks/${id}/approvals`, answer)).body.code).toBe(
        'hub_approval_answered',
      );
      expect(await asked(hub, id)).toEqual([['1-question', 'expired']]);
    });

    test('is open again when its worker comes back and still waits', async () => {
      const hub = await startHub();
      const { worker, id } = await hub.running();
      ask(worker, id, '1-question');
      await worker.leave();
      const again = await hub.worker();
      ask(again, id, '1-question');
      await again.accept();
      expect(await asked(hub, id)).toEqual([['1-question', 'pending']]);
      await hub.call('POST', `/api/tasks/${id}/approvals`, {
        approval_id: '1-question',
        decision: 'accepted',
      });
      expect(await again.next('approval_response')).toMatchObject({ decision: 'accepted' });
    });

    test('is told of when its task is cancelled', async () => {
      const hub = await startHub();
      const { worker, id } = await hub.running();
      ask(worker, id, '1-question');
      await happened(hub, id, 'pending');
      await hub.call('POST', `/api/tasks/${id}/cancel`);
      await happened(hub, id, 'expired');
    });
  });
}
