/** The link against this program's own hub: the same protocol with the additions, over a real socket and clock. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { CleanupStack } from '../../sidecar/system/cleanup-stack.ts';
import { createHubLink, type HubLink, type HubLinkHandlers } from '../../sidecar/hub-link/hub-link.ts';
import type { Task } from '../../sidecar/protocol/task.ts';
import { createOutbox, type Outbox } from '../../sidecar/storage/outbox.ts';
import { openStateDatabase, type StateDatabase } from '../../sidecar/storage/state-database.ts';
import { testHub, type TestHub } from '../hub/hub-fixture.ts';
import { notingOutbox } from '../support/linked-worker.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

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
    const db: StateDatabase = openStateDatabase(tempFolder());
    cleanup.add(() => db.close());
    const calls: Setup['calls'] = [];
    const outbox = notingOutbox(createOutbox(db), calls);
    const assigned: Task[] = [];
    const names = ['onCancel', 'onSteer', 'onDrain', 'onAbort', 'onReassign', 'onRefused', 'onConnected'];
    const noted: HubLinkHandlers = Object.fromEntries(
      names.map((name) => [name, (...args: unknown[]) => void calls.push({ name, args })]),
    );
    const link = createHubLink({
      url: hub.hub.wsUrl,
      identity: { agentId: 'w', token: await hub.hub.issueToken('worker', 'w'), capacity: 2, models: ['m'] },
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
    expect(link.features).toMatchObject({
      event_batch: true,
      worker_status: true,
      failed_result: true,
      limits: { framesPerMinute: 6_000 },
    });
    const id = await hub.submit();
    await until(() => assigned.length === 1, 'the assignment');
    for (let seq = 1; seq <= 50; seq += 1) {
      link.progress(id, {
        event_type: 'tool_call',
        text: `call ${seq}`,
        call_id: `c${seq}`,
        seq,
        phase: 'finished',
      });
    }
    outbox.enqueue({ type: 'task_complete', task_id: id, generation: assigned[0]!.generation, result });
    await link.flushed();
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
    (link as unknown as { reconnect(cause: string): void }).reconnect('the cable');
    await until(() => link.state === 'waiting', 'the loss');
    await until(() => link.state === 'ready', 'the return');
    await untilStatus(given, id, 'running');
    outbox.enqueue({ type: 'task_complete', task_id: id, generation: assigned.at(-1)!.generation, result });
    await link.flushed();
    expect(await statusOf(given, id)).toMatchObject({ status: 'success' });
    expect(calls.some(({ name }) => name === 'onAbort')).toBe(false);
  });

  test('a result whose task was given out again meanwhile is not lost', async () => {
    const given = await setup();
    const { hub, link, outbox, assigned } = given;
    const id = await hub.submit();
    await untilStatus(given, id, 'running');
    (link as unknown as { reconnect(cause: string): void }).reconnect('the cable');
    await until(() => link.state === 'waiting', 'the loss');
    outbox.enqueue({ type: 'task_complete', task_id: id, generation: assigned[0]!.generation, result });
    await link.flushed();
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
    await until(() => calls.some(({ name }) => name === 'onCancel'), 'the cancellation');
    await hub.call('POST', '/api/workers/w/drain', {});
    await until(() => calls.some(({ name }) => name === 'onDrain'), 'draining');
  });
});
