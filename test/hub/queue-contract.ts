/** What the queue promises, whatever it is stored in; run on SQLite and on PostgreSQL (operations.md, Embedded hub). */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../support/manual-clock.ts';
import { testHub } from './hub-fixture.ts';
import type { Json, TestHub } from './hub-fixture.ts';
import { finishedResult } from './simulated-worker.ts';
import type { Heard, SimulatedWorker } from './simulated-worker.ts';
import { readStream } from './stream-reader.ts';

/** Moves time in steps that keep connections alive. */
async function wait(clock: ManualClock, durationMs: number, workers: SimulatedWorker[]): Promise<void> {
  for (let left = durationMs; left > 0; left -= 30_000) {
    for (const worker of workers) {
      worker.say('ping');
      await worker.next('pong');
    }
    await clock.advance(Math.min(30_000, left));
  }
}
const status = async (hub: TestHub, id: string): Promise<Json> => (await hub.get(`/api/tasks/${id}`)).body;
/** Waits until the hub has written down this change of the task, or an event with this text. */
async function happened(hub: TestHub, id: string, what: string): Promise<void> {
  const stream = readStream(hub, `/api/tasks/${id}/events`);
  await stream.until((event) => event.body.reason === what || event.body.text === what);
  stream.close();
}

export function describeQueue(newDatabase: () => Promise<string>): void {
  const startHub = async (options: Parameters<typeof testHub>[0] = {}) =>
    testHub({ database: await newDatabase(), random: () => 0, ...options });

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
      expect(await worker.next('task_assign')).toMatchObject({ task_id: id });
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
  });

  describe('results', () => {
    test('exactly one result is accepted; the same one again is acknowledged again, another is refused', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      const id = await hub.submit();
      const assigned = await worker.accept();
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
      thief.say('ping');
      await thief.next('pong');
      worker.complete(assigned);
      await worker.next('task_ack', { status: 'complete' });
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
        worker.say('task_failed', {
          task_id: id,
          generation: assigned.generation,
          error: 'model_error after 1 iterations',
        });
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
        attempts: 3,
        error: 'model_error after 1 iterations',
      });
      expect((await hub.call('POST', `/api/tasks/${id}/retry`)).body.status).toBe('queued');
      expect(await worker.accept()).toMatchObject({ task_id: id });
    });

    test.each([
      'workspace_repo_missing: There is no git repository at /nowhere',
      'model_error after 0 iterations: model_not_found: model nope:1b is not installed',
      'unsupported_target_type:claude',
    ])('a failure that would only happen again is not tried again: %s', async (error) => {
      const hub = await startHub({ maxAttempts: 3 });
      const worker = await hub.worker();
      const id = await hub.submit();
      const { generation } = await worker.accept();
      worker.say('task_failed', { task_id: id, generation, error });
      expect(await worker.next('task_ack', { task_id: id, status: 'dead_letter' })).toBeDefined();
      expect(await status(hub, id)).toMatchObject({ status: 'dead_letter', attempts: 1, error });
      expect((await hub.call('POST', `/api/tasks/${id}/retry`)).body.status).toBe('queued');
      expect(await worker.accept()).toMatchObject({ task_id: id });
    });

    test('a failed task keeps the result that came with the failure', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      const id = await hub.submit({ max_attempts: 1 });
      const assigned = await worker.accept();
      worker.say('task_failed', {
        task_id: id,
        generation: assigned.generation,
        error: 'stall after 4 iterations: nothing changed',
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
      worker.say('task_failed', {
        task_id: id,
        generation: assigned.generation,
        error: 'worker_busy: queue is full',
      });
      expect(await worker.next('task_ack')).toMatchObject({ status: 'retried' });
      await wait(clock, 6_000, [worker]);
      expect(await worker.accept()).toMatchObject({ task_id: id });
    });
  });

  describe('leases', () => {
    test('progress renews the lease; ten minutes of silence lose the task', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock });
      const worker = await hub.worker();
      const id = await hub.submit();
      const first = await worker.accept();
      await wait(clock, 540_000, [worker]);
      worker.event(id, { event_type: 'status', text: 'still loading' });
      worker.say('ping');
      await worker.next('pong');
      await clock.advance(25);
      await happened(hub, id, 'still loading');
      await wait(clock, 540_000, [worker]);
      expect(await status(hub, id)).toMatchObject({ status: 'running', generation: first.generation });
      await wait(clock, 120_000, [worker]);
      const again = await worker.next('task_assign');
      expect(again.task_id).toBe(id);
      expect(Number(again.generation)).toBeGreaterThan(Number(first.generation));
      worker.complete(first);
      expect(await worker.next('error')).toMatchObject({ error: 'task_complete_failed: stale_generation' });
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
      expect(await other.next('task_assign')).toMatchObject({ task_id: id });
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

  describe('a hub that ends and starts again on the same database', () => {
    test('keeps tasks, events and assignments; the worker goes on with state_report and task_accepted', async () => {
      const database = await newDatabase();
      const first = await testHub({ database });
      const token = await first.hub.issueToken('worker', 'worker-1');
      const worker = await first.worker({ token });
      const id = await first.submit();
      const waiting = await first.submit({ labels: ['nobody'] });
      const assigned = await worker.accept();
      worker.event(id, { event_type: 'status', text: 'before', seq: 1 });
      worker.say('ping');
      await worker.next('pong');
      await first.hub.close();
      const second = await testHub({ database });
      const again = await second.worker({ token });
      expect(await status(second, id)).toMatchObject({ status: 'running', generation: assigned.generation });
      again.say('state_report', { task_id: id, status: 'working', generation: assigned.generation });
      expect(await again.next('state_report_ack')).toMatchObject({ task_id: id, action: 'continue' });
      again.say('task_accepted', { task_id: id });
      await again.next('task_ack', { status: 'accepted' });
      again.event(id, { event_type: 'status', text: 'after', seq: 2 });
      again.complete(assigned);
      await again.next('task_ack', { status: 'complete' });
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

    test('takes a task back whose worker does not come within a minute', async () => {
      const database = await newDatabase();
      const clock = new ManualClock();
      const first = await testHub({ database, clock });
      const id = await first.submit();
      await (await first.worker()).accept();
      await first.hub.close();
      await clock.advance(3_600_000);
      const second = await testHub({ database, clock });
      const other = await second.worker({ agentId: 'other' });
      await wait(clock, 59_000, [other]);
      expect((await status(second, id)).status).toBe('running');
      await wait(clock, 2_000, [other]);
      expect(await other.next('task_assign')).toMatchObject({ task_id: id });
    });

    test('a worker that comes back without a word about a task has its place free again within seconds', async () => {
      const database = await newDatabase();
      const clock = new ManualClock();
      const first = await testHub({ database, clock });
      const token = await first.hub.issueToken('worker', 'worker-1');
      const worker = await first.worker({ token, capacity: 1 });
      const id = await first.submit();
      const lost = await worker.accept();
      await first.hub.close();
      const second = await testHub({ database, clock });
      const again = await second.worker({ token, capacity: 1 });
      await wait(clock, 4_900, [again]);
      expect(again.types()).not.toContain('task_assign');
      await wait(clock, 200, [again]);
      const assigned = await again.next('task_assign', { task_id: id });
      expect(assigned.generation).toBeGreaterThan(Number(lost.generation));
    });

    test('a worker that was killed asks and goes on with its task', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      const id = await hub.submit();
      await worker.accept();
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

  describe('people and tasks', () => {
    test('steering reaches the worker, also one that was away', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      const id = await hub.submit();
      await worker.accept();
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

    test('an approval is answered once; the worker that asks again hears the same answer', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      const id = await hub.submit();
      await worker.accept();
      const question = { task_id: id, approval_id: 'q1', kind: 'question', summary: 'Which port?' };
      worker.say('approval_request', question);
      worker.say('ping');
      await worker.next('pong');
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
      worker.complete(await worker.accept(), {
        status: 'partial',
        remaining: ['npm test'],
        follow_up: follow,
      });
      await worker.next('task_ack', { status: 'complete' });
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
