/** What people do with a task: steering, approvals, follow-ups. */
import { describe, expect, test } from '@jest/globals';
import type { Json } from '../hub-fixture.ts';
import type { Heard } from '../simulated-worker.ts';
import { happened, status } from './fixture.ts';
import type { StartHub } from './fixture.ts';

export function describePeople(startHub: StartHub): void {
  describe('people and tasks', () => {
    test('steering reaches the worker, also one that was away', async () => {
      const hub = await startHub();
      const { worker, id } = await hub.running();
      const { status: code, body } = await hub.call('POST', `/api/tasks/${id}/steer`, { text: 'use tabs' });
      expect([code, body.text]).toEqual([202, 'use tabs']);
      expect(await worker.next('steer')).toMatchObject({ task_id: id, text: 'use tabs' });
      await worker.leave();
      await hub.call('POST', `/api/tasks/${id}/steer`, { text: 'and hurry' });
      const again = await hub.worker();
      await again.accept();
      expect(await again.next('steer')).toMatchObject({ text: 'and hurry' });
      const { steering } = await status(hub, id);
      expect(steering.map((one: Json) => [one.text, one.delivered_at !== null])).toEqual([
        ['use tabs', true],
        ['and hurry', true],
      ]);
      expect(again.heard.filter((frame: Heard) => frame.type === 'steer')).toHaveLength(1);
    });

    test('steering reaches the next worker, too, but not twice the one that comes back', async () => {
      const hub = await startHub({ timings: { preferenceMs: 1 } });
      const { worker, id } = await hub.running();
      await hub.call('POST', `/api/tasks/${id}/steer`, { text: 'use tabs' });
      expect(await worker.next('steer')).toMatchObject({ text: 'use tabs' });
      await worker.leave();
      const other = await hub.worker({ agentId: 'other' });
      const second = await other.accept();
      expect(await other.next('steer')).toMatchObject({ task_id: id, text: 'use tabs' });
      other.fail(second, 'broken');
      const third = await other.accept();
      expect(third.task_id).toBe(id);
      expect(await other.next('steer')).toMatchObject({ task_id: id, text: 'use tabs' });
    });

    test('an approval is answered once; the worker that asks again hears the same answer', async () => {
      const hub = await startHub();
      const { worker, id } = await hub.running();
      const question = { task_id: id, approval_id: 'q1', kind: 'question', summary: 'Which port?' };
      worker.say('approval_request', question);
      await worker.ping();
      expect((await status(hub, id)).approvals).toMatchObject([{ approval_id: 'q1', status: 'pending' }]);
      const answer = { approval_id: 'q1', decision: 'corrected', text: '8080' };
      expect((await hub.call('POST', `/api/tasks/${id}/approvals`, answer)).status).toBe(200);
      expect(await worker.next('approval_response')).toMatchObject({
        approval_id: 'q1',
        decision: 'corrected',
        text: '8080',
      });
      expect(
        (await hub.call('POST', `/api/tasks/${id}/approvals`, { approval_id: 'q1', decision: 'rejected' }))
          .status,
      ).toBe(409);
      expect(
        (await hub.call('POST', `/api/tasks/${id}/approvals`, { ...answer, approval_id: 'q2' })).status,
      ).toBe(404);
      await worker.leave();
      const again = await hub.worker();
      await again.accept();
      again.say('approval_request', question);
      expect(await again.next('approval_response')).toMatchObject({ decision: 'corrected', text: '8080' });
    });

    test('a task that asks is in a state of its own, which can be filtered and counted, until all is answered', async () => {
      const hub = await startHub();
      const { worker, id } = await hub.running({}, { capacity: 2 });
      const other = await hub.submit();
      await worker.accept();
      const listed = async (filter: string) =>
        (await hub.get(`/api/tasks?status=${filter}`)).body.tasks.map((one: Json) => one.task_id);
      const answer = (approvalId: string) =>
        hub.call('POST', `/api/tasks/${id}/approvals`, { approval_id: approvalId, decision: 'accepted' });
      for (const approvalId of ['q1', 'q2'])
        worker.say('approval_request', {
          task_id: id,
          approval_id: approvalId,
          kind: 'question',
          summary: approvalId,
        });
      await worker.ping();
      expect(await status(hub, id)).toMatchObject({
        status: 'asks',
        asks: { kind: 'question', summary: 'q1' },
      });
      await expect(Promise.all(['asks', 'running', 'running,asks'].map(listed))).resolves.toEqual([
        [id],
        [other],
        [other, id],
      ]);
      expect((await hub.get('/api/stats')).body.tasks).toMatchObject({ asks: 1, running: 1 });
      await answer('q1');
      expect(await status(hub, id)).toMatchObject({ status: 'asks', asks: { summary: 'q2' } });
      await answer('q2');
      expect(await status(hub, id)).toMatchObject({ status: 'running', asks: null });
      worker.say('approval_request', { task_id: id, approval_id: 'q3', kind: 'command', summary: 'rm x' });
      await worker.ping();
      await worker.leave();
      await happened(hub, id, 'worker_lost');
      expect(await listed('asks')).toEqual([]);
      const { events } = (await hub.get(`/api/tasks/${id}/events`)).body;
      const changes = events.filter(({ kind, body }: Json) => kind === 'task' && body.reason === 'asks');
      expect(changes.map(({ body }: Json) => body.status)).toEqual([
        'asks',
        'asks',
        'asks',
        'running',
        'asks',
      ]);
    });

    test('a submitter answers questions of its own tasks, and approves no commands', async () => {
      const hub = await startHub({ tokens: { admin: 'admin-token', submitter: 'ci-token' } });
      const as = (token: string) => ({ authorization: `Bearer ${token}` });
      const worker = await hub.worker({ capacity: 2 });
      const own = (await hub.call('POST', '/api/tasks', { description: 'Mine' }, as('ci-token'))).body
        .task_id;
      const foreign = await hub.submit();
      for (const task of [own, foreign]) {
        await worker.accept();
        for (const kind of ['question', 'summary', 'command'])
          worker.say('approval_request', { task_id: task, approval_id: kind, kind, summary: 'x' });
      }
      await worker.ping();
      const answer = async (token: string, task: string, approvalId: string) => {
        const path = `/api/tasks/${task}/approvals`;
        return (await hub.call('POST', path, { approval_id: approvalId, decision: 'accepted' }, as(token)))
          .status;
      };
      const codes = async (task: string) =>
        Promise.all(['question', 'summary', 'command'].map((kind) => answer('ci-token', task, kind)));
      expect([await codes(own), await codes(foreign)]).toEqual([
        [200, 200, 403],
        [403, 403, 403],
      ]);
      expect(await answer('admin-token', own, 'command')).toBe(200);
    });

    test('what a submitter demanded, and did not, holds for the follow-up whatever the result says', async () => {
      const hub = await startHub();
      const worker = await hub.worker({ agentId: 'mine', labels: ['gpu'] });
      const demands = {
        priority: 3,
        max_attempts: 2,
        agent_id: 'mine',
        success_criteria: ['the tests pass'],
      };
      const id = await hub.submit({ ...demands, labels: ['gpu'], metadata: { origin: 'person' } });
      const follow_up = {
        description: 'Go on',
        priority: 999,
        labels: ['elsewhere'],
        agent_id: 'another',
        model: 'other:1b',
        max_attempts: 100,
        delay_ms: 86_400_000,
        success_criteria: ['nothing'],
        may_change_checks: true,
        skip_verification: true,
        routing_decision: { selected_endpoint: 'http://elsewhere' },
        metadata: { origin: 'result', follow_up_depth: 1 },
      };
      await worker.finish(await worker.accept(), { status: 'partial', follow_up });
      const followId = (await hub.call('POST', `/api/tasks/${id}/follow-up`)).body.task_id;
      const assigned = await worker.accept();
      expect(assigned).toMatchObject({
        task_id: followId,
        description: 'Go on',
        success_criteria: ['the tests pass'],
      });
      expect(JSON.stringify(assigned)).not.toContain('elsewhere');
      expect(assigned.metadata).toMatchObject({ origin: 'person', follow_up_depth: 1 });
      for (const key of ['may_change_checks', 'skip_verification'])
        expect([key, assigned[key]]).not.toEqual([key, true]);
      expect(await status(hub, followId)).toMatchObject({ priority: 3, max_attempts: 2, labels: ['gpu'] });
    });

    test('a partial result’s follow-up becomes one task, however often it is asked for', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      const id = await hub.submit({ priority: 3, labels: [] });
      const follow = {
        description: 'Make the last test pass',
        repo: '/tmp/repo',
        base_ref: 'sidecar/x',
        patch: 'diff --git',
        metadata: { follow_up_of: id, follow_up_depth: 1 },
      };
      await worker.finish(await worker.accept(), {
        status: 'partial',
        remaining: ['npm test'],
        follow_up: follow,
      });
      expect(await status(hub, id)).toMatchObject({ status: 'partial', has_follow_up: true });
      const answers = await Promise.all([1, 2, 3].map(() => hub.call('POST', `/api/tasks/${id}/follow-up`)));
      expect(new Set(answers.map(({ body }) => body.task_id)).size).toBe(1);
      const followId = answers[0]!.body.task_id;
      expect(await worker.accept()).toMatchObject({ task_id: followId, ...follow });
      expect(await status(hub, followId)).toMatchObject({ follow_up_of: id, priority: 3 });
      expect(await status(hub, id)).toMatchObject({ follow_up_task_id: followId });
      expect((await hub.call('POST', `/api/tasks/${followId}/follow-up`)).body.code).toBe('hub_no_follow_up');
    });
  });
}
