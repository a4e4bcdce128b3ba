import { afterEach, describe, expect, test } from '@jest/globals';
import { HubLink } from '../../../sidecar/worker/hub-link/hub-link.ts';
import type { HubLinkHandlers } from '../../../sidecar/worker/hub-link/types.ts';
import type { Task } from '../../../sidecar/base/protocol/task.ts';
import { createOutbox, type Outbox } from '../../../sidecar/base/storage/outbox.ts';
import { openStateDatabase, type StateDatabase } from '../../../sidecar/base/storage/state-database.ts';
import { CleanupStack } from '../../../sidecar/base/system/cleanup-stack.ts';
import { testHub, type TestHub } from '../../hub/hub-fixture.ts';
import { connect, linkedWorker, notingOutbox, type LinkedWorker } from '../../support/linked-worker.ts';
import { randomFrom } from '../../support/random.ts';
import { scaled } from '../../support/scale.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

/** The link against this program's own hub: the same protocol with the additions, over a real socket and clock. */
describe('the link and the embedded hub', () => {
  const tempFolder = tempFolders();
  const cleanup = new CleanupStack();
  afterEach(() => cleanup.close());

  interface Setup {
    hub: TestHub;
    link: HubLink;
    outbox: Outbox;
    assigned: Task[];
    calls: { name: string; args: unknown[] }[];
  }
  async function setup(): Promise<Setup> {
    const hub = await testHub();
    const db: StateDatabase = await openStateDatabase(tempFolder());
    cleanup.add(() => db.close());
    const calls: Setup['calls'] = [];
    const outbox = notingOutbox(createOutbox(db), calls);
    const assigned: Task[] = [];
    const names = ['onDrop', 'onSteer', 'onDrain', 'onRefused', 'onConnected'];
    const noted: HubLinkHandlers = Object.fromEntries(
      names.map((name) => [name, (...args: unknown[]) => void calls.push({ name, args })]),
    );
    const link = new HubLink({
      url: hub.hub.wsUrl,
      identity: { workerId: 'w', token: await hub.hub.issueToken('worker', 'w'), capacity: 2, models: ['m'] },
      outbox,
      random: () => 0,
    });
    cleanup.add(() => link.stop());
    link.start({
      ...noted,
      onAssign(task) {
        assigned.push(task);
        link.accept(task.task_id);
      },
    });
    await until(() => link.state === 'ready', 'identified');
    return { hub, link, outbox, assigned, calls };
  }
  const statusOf = async ({ hub }: Setup, taskId: string) => (await hub.get(`/api/tasks/${taskId}`)).body;
  async function untilStatus(given: Setup, taskId: string, status: string): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      if ((await statusOf(given, taskId)).status === status) return;
    }
    throw new Error(`never became ${status}: ${JSON.stringify(await statusOf(given, taskId))}`);
  }
  const result = {
    status: 'success',
    output: 'done',
    model_used: 'm',
    tokens_in: 1,
    tokens_out: 1,
    estimated_cost_usd: 0,
    execution_ms: 5,
    termination_reason: 'final_answer',
    iterations_used: 1,
    verification_status: 'unverified',
    verification_attempts: 0,
    changes: { files: [], patch: '' },
    completed: [],
    remaining: [],
  };

  test('its features are read, a task is taken, its events and its result arrive', async () => {
    const given = await setup();
    const { hub, link, outbox, assigned } = given;
    expect(link.hub.features).toMatchObject({
      event_batch: true,
      worker_status: true,
      failed_result: true,
      limits: { framesPerMinute: 6_000 },
    });
    const id = await hub.submit();
    await until(() => assigned.length === 1, 'the assignment');
    for (let seq = 1; seq <= 50; seq += 1) {
      link.sendProgress(id, {
        event_type: 'tool_call',
        text: `call ${seq}`,
        call_id: `c${seq}`,
        seq,
        phase: 'finished',
      });
    }
    outbox.enqueue({ type: 'task_complete', task_id: id, generation: assigned[0]!.generation, result });
    await link.waitUntilFlushed();
    expect(await statusOf(given, id)).toMatchObject({ status: 'success' });
    expect(given.calls.find(({ name }) => name === 'settled')?.args).toEqual([
      id,
      { acknowledged: 'complete' },
    ]);
  });

  test('a broken line costs nothing: the assignment goes on and the result counts', async () => {
    const given = await setup();
    const { hub, link, outbox, assigned, calls } = given;
    const id = await hub.submit();
    await untilStatus(given, id, 'running');
    link.connection.reconnect('the cable');
    await until(() => link.state === 'waiting', 'the loss');
    await until(() => link.state === 'ready', 'the return');
    await untilStatus(given, id, 'running');
    outbox.enqueue({ type: 'task_complete', task_id: id, generation: assigned.at(-1)!.generation, result });
    await link.waitUntilFlushed();
    expect(await statusOf(given, id)).toMatchObject({ status: 'success' });
    expect(calls.some(({ name }) => name === 'onDrop')).toBe(false);
  });

  test('a result whose task was given out again meanwhile is not lost', async () => {
    const given = await setup();
    const { hub, link, outbox, assigned } = given;
    const id = await hub.submit();
    await untilStatus(given, id, 'running');
    link.connection.reconnect('the cable');
    await until(() => link.state === 'waiting', 'the loss');
    outbox.enqueue({ type: 'task_complete', task_id: id, generation: assigned[0]!.generation, result });
    await link.waitUntilFlushed();
    expect(await statusOf(given, id)).toMatchObject({ status: 'success' });
    expect(assigned).toHaveLength(1);
  });

  test('steering, approval, cancelling and draining work over it', async () => {
    const given = await setup();
    const { hub, link, calls } = given;
    const id = await hub.submit();
    await untilStatus(given, id, 'running');
    const question = { task_id: id, approval_id: 'a1', kind: 'question' as const, summary: 'left or right?' };
    const answer = link.requestApproval(question, { timeoutMs: 20_000 });
    let approvals: { status: number } = { status: 0 };
    for (let attempt = 0; attempt < 50 && approvals.status !== 200; attempt += 1) {
      approvals = await hub.call('POST', `/api/tasks/${id}/approvals`, {
        approval_id: 'a1',
        decision: 'corrected',
        text: 'left',
      });
    }
    expect(await answer).toEqual({ ok: true, decision: 'corrected', text: 'left' });
    await hub.call('POST', `/api/tasks/${id}/steer`, { text: 'go on' });
    await until(() => calls.some(({ name }) => name === 'onSteer'), 'steering');
    await hub.call('POST', `/api/tasks/${id}/cancel`, {});
    await until(() => calls.some(({ name }) => name === 'onDrop'), 'the cancellation');
    await hub.call('POST', '/api/workers/w/drain', {});
    await until(() => calls.some(({ name }) => name === 'onDrain'), 'draining');
  });
});

/** Works like the worker does: a task again under a higher generation goes on, an aborted one stops. */
function workerOf(worker: () => LinkedWorker, random: () => number) {
  const running = new Map<string, number>();
  const worked = new Map<string, number>();
  return {
    worked,
    onAssign(task: Task) {
      const { clock, link } = worker();
      const { task_id: id, generation } = task;
      link.accept(id);
      if (running.has(id)) {
        running.set(id, generation);
        return;
      }
      running.set(id, generation);
      worked.set(id, (worked.get(id) ?? 0) + 1);
      link.sendProgress(id, { event_type: 'status', text: 'begins', seq: 1 });
      clock.schedule(1_000 + random() * 20_000, () => {
        const current = running.get(id);
        if (current === undefined) return;
        running.delete(id);
        link.sendProgress(id, { event_type: 'tool_call', text: 'ends', seq: 2 });
        worker().complete(id, current);
      });
    },
    onDrop: (id: string) => void running.delete(id),
  };
}

describe('in a storm of losses, restarts and dropped frames', () => {
  let worker: LinkedWorker;

  const seeds = Array.from({ length: scaled({ quick: 8, full: 60 }) }, (_, index) => index + 1);
  test.each(seeds)('every task is completed once and no result is lost (seed %i)', async (seed) => {
    const random = randomFrom(seed);
    const work = workerOf(() => worker, random);
    worker = await linkedWorker(work);
    const { hub, outbox } = worker;
    await connect(worker);
    const ids = Array.from({ length: 12 }, (_, index) => `t${index}`);
    for (const id of ids) {
      hub.submit(id);
      const trouble = Math.floor(random() * 8);
      if (trouble === 0) hub.dropConnections();
      if (trouble === 1) {
        await hub.kill();
        await worker.advance(random() * 10_000);
        await hub.listen();
      }
      if (trouble === 2) hub.lose.add('task_complete');
      if (trouble === 3) hub.lose.add('task_accepted');
      if (trouble === 4) hub.closeConnections(1011, 'crash');
      if (trouble === 5) hub.drainBucket('worker-1', 3);
      await worker.advance(Math.ceil(random() * 15_000));
      hub.lose.clear();
    }
    for (
      let minute = 0;
      minute < 15 && [...hub.tasks.values()].some(({ status }) => status !== 'completed');
      minute += 1
    ) {
      await worker.advance(60_000);
    }
    await worker.advance(35_000);
    expect([...hub.tasks.values()].filter(({ status }) => status !== 'completed')).toEqual([]);
    expect(outbox.size).toBe(0);
    expect(Object.fromEntries(work.worked)).toEqual(Object.fromEntries(ids.map((id) => [id, 1])));
  });
});
