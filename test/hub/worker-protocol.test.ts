/** The hub's side of the protocol, over real sockets (protocol.md). */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../support/manual-clock.ts';
import { testHub } from './hub-fixture.ts';
import type { Json } from './hub-fixture.ts';
import { SimulatedWorker } from './simulated-worker.ts';

describe('a worker and its hub', () => {
  test('a submitted task is assigned, accepted, followed and completed', async () => {
    const hub = await testHub();
    const worker = await hub.worker();
    const id = await hub.submit({
      description: 'Fix it\n\nplease',
      metadata: { ticket: 7 },
      repo: '/tmp/repo',
    });
    const assigned = await worker.next('task_assign');
    expect(assigned).toMatchObject({
      task_id: id,
      description: 'Fix it\n\nplease',
      metadata: { ticket: 7 },
      repo: '/tmp/repo',
      generation: 1,
      file_hints: [],
      skip_verification: false,
    });
    worker.say('task_accepted', { task_id: id });
    expect(await worker.next('task_ack')).toMatchObject({ task_id: id, status: 'accepted' });
    worker.event(id, { event_type: 'status', text: 'loading', seq: 1 });
    worker.complete(assigned);
    expect(await worker.next('task_ack')).toMatchObject({ task_id: id, status: 'complete' });
    const { body } = await hub.get(`/api/tasks/${id}`);
    expect(body).toMatchObject({
      status: 'success',
      title: 'Fix it',
      tokens_in: 1200,
      worker_id: 'worker-1',
    });
    expect(body.result.output).toBe('Done.');
    const events = (await hub.get(`/api/tasks/${id}/events`)).body.events;
    expect(events.map((one: Json) => one.body.reason ?? one.body.text)).toEqual([
      'submitted',
      'assigned',
      'accepted',
      'loading',
      'completed',
    ]);
  });

  test('identified announces every addition and the limits', async () => {
    const hub = await testHub({ framesPerMinute: 120 });
    const worker = await hub.worker();
    expect(worker.heard[0]).toMatchObject({
      type: 'identified',
      agent_id: 'worker-1',
      features: {
        capacity: true,
        approval: true,
        steer: true,
        drain: true,
        failed_result: true,
        event_batch: true,
        limits: { framesPerMinute: 120, maxFrameBytes: 4 * 1024 * 1024 },
      },
    });
  });

  test('a wrong token and another worker’s token are refused and the socket stays open', async () => {
    const hub = await testHub();
    const token = await hub.hub.issueToken('worker', 'someone');
    const worker = await SimulatedWorker.connect(hub.hub.wsUrl);
    hub.workers.push(worker);
    worker.identify({ agentId: 'worker-1', token: 'nonsense' });
    expect(await worker.next('error')).toMatchObject({ error: 'invalid_token' });
    worker.identify({ agentId: 'worker-1', token: hub.hub.tokens.admin });
    expect(await worker.next('error')).toMatchObject({ error: 'invalid_token' });
    worker.identify({ agentId: 'worker-1', token });
    expect(await worker.next('error')).toMatchObject({ error: 'token_agent_mismatch' });
    worker.say('task_accepted', { task_id: 'x' });
    expect(await worker.next('error')).toMatchObject({ error: 'not_identified' });
    worker.identify({ agentId: 'someone', token });
    await worker.next('identified');
  });

  test('a plain worker gets one task at a time and no additions', async () => {
    const hub = await testHub();
    const worker = await hub.worker({ plain: true });
    const id = await hub.submit();
    await hub.submit();
    const assigned = await worker.accept();
    expect(assigned.task_id).toBe(id);
    await hub.call('POST', `/api/tasks/${id}/steer`, { text: 'left' });
    worker.say('ping');
    await worker.next('pong');
    expect(worker.types()).not.toContain('steer');
    expect(worker.types().filter((type) => type === 'task_assign')).toHaveLength(1);
  });

  test('after a lost connection: identified, the task with a higher generation, then abort for the old one', async () => {
    const hub = await testHub();
    const token = await hub.hub.issueToken('worker', 'worker-1');
    const first = await hub.worker({ token });
    const id = await hub.submit();
    const assigned = await first.accept();
    await first.leave();
    const other = await hub.worker({ agentId: 'other' });
    const second = await SimulatedWorker.connect(hub.hub.wsUrl);
    hub.workers.push(second);
    second.identify({ token });
    second.say('state_report', { task_id: id, status: 'working', generation: assigned.generation });
    await second.next('state_report_ack');
    expect(second.types()).toEqual(['identified', 'task_assign', 'state_report_ack']);
    expect(second.heard[1]).toMatchObject({ task_id: id });
    expect(Number(second.heard[1]!.generation)).toBeGreaterThan(Number(assigned.generation));
    expect(second.heard[2]).toMatchObject({ action: 'abort' });
    expect(other.types()).not.toContain('task_assign');
    second.complete(assigned);
    expect(await second.next('error')).toMatchObject({ error: 'task_complete_failed: stale_generation' });
  });

  test('an assignment that is not accepted within 60 s is taken back and pushed again', async () => {
    const clock = new ManualClock();
    const hub = await testHub({ clock });
    const worker = await hub.worker();
    const id = await hub.submit();
    const first = await worker.next('task_assign');
    for (let second = 0; second < 60; second += 30) {
      worker.say('ping');
      await worker.next('pong');
      await clock.advance(30_000);
    }
    const again = await worker.next('task_assign');
    expect(again).toMatchObject({ task_id: id });
    expect(Number(again.generation)).toBeGreaterThan(Number(first.generation));
  });
});
