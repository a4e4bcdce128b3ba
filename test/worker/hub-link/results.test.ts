import { describe, expect, test } from '@jest/globals';
import { keptLog } from '../../support/kept-log.ts';
import { connect, connectedWorker, linkedWorker, type LinkedWorker } from '../../support/linked-worker.ts';
import { quiet, until } from '../../support/until.ts';

describe('results', () => {
  let worker: LinkedWorker;
  const start = async (...args: Parameters<typeof connectedWorker>) =>
    (worker = await connectedWorker(...args));

  test('are kept until the hub acknowledged them, and the next task comes', async () => {
    const { hub, link, outbox } = await start();
    await worker.take('t1');
    worker.complete('t1', 1);
    expect(outbox.size).toBe(1);
    await link.waitUntilFlushed();
    expect(outbox.size).toBe(0);
    expect(hub.tasks.get('t1')).toMatchObject({ status: 'completed', result: { output: 'done' } });
    expect(worker.called('settled')).toEqual([['t1', { acknowledged: 'complete' }]]);
    hub.submit('t2');
    await until(() => worker.assigned.length === 2, 'the next task');
  });

  test('that were written without a hub go out once it is there', async () => {
    const { hub, outbox } = await start();
    await worker.take('t1');
    await hub.kill();
    worker.complete('t1', 1);
    await quiet();
    expect(outbox.size).toBe(1);
    await hub.listen();
    await worker.advance(5_000);
    expect(hub.tasks.get('t1')?.status).toBe('completed');
    expect(outbox.size).toBe(0);
  });

  test('that nobody answered are sent again on another line after 30 s', async () => {
    const { hub, outbox } = await start();
    await worker.take('t1');
    hub.lose.add('task_complete');
    worker.complete('t1', 1);
    await worker.advance(29_000);
    expect(hub.framesOf('task_complete')).toHaveLength(1);
    hub.lose.clear();
    await worker.advance(6_000);
    expect(hub.framesOf('task_complete')).toHaveLength(2);
    expect(outbox.size).toBe(0);
  });

  test.each(['stale_generation', 'invalid_state', 'not_found'])(
    'refused as %s are moot: dropped, told, and the connection is made anew for further tasks',
    async (reason) => {
      const { hub, outbox, link } = await start();
      await worker.take('t1');
      hub.refuseWith = reason;
      worker.complete('t1', 1);
      await until(() => outbox.size === 0, 'the refusal');
      expect(worker.called('settled')).toEqual([['t1', { moot: reason }]]);
      hub.refuseWith = undefined;
      hub.tasks.delete('t1');
      await until(() => link.state === 'waiting', 'the new connection');
      await worker.advance(2_000);
      hub.submit('t2');
      await until(() => worker.assigned.at(-1)?.task_id === 't2', 'the next task');
    },
  );

  const noted = (logger: ReturnType<typeof keptLog>) =>
    logger.shown
      .filter(({ message }) => message.includes('result'))
      .map(({ level, message }) => [level, message]);

  test('that the hub may have already, since its answer was lost with the line, are no warning', async () => {
    const logger = keptLog();
    const { hub, outbox } = await start({}, { logger });
    await worker.take('t1');
    hub.lose.add('task_complete');
    worker.complete('t1', 1);
    await until(() => hub.framesOf('task_complete').length === 1, 'the result');
    hub.tasks.get('t1')!.status = 'completed';
    hub.lose.clear();
    await worker.loseConnection();
    await worker.advance(5_000);
    expect(outbox.size).toBe(0);
    expect(noted(logger)).toEqual([
      ['info', 'The hub already has this result, or gave up the task; see `ollama-sidecar show`'],
    ]);
  });

  test('that an earlier life has sent are no warning either; its first sending is one', async () => {
    const logger = keptLog();
    worker = await linkedWorker({}, { logger });
    const { hub, outbox } = worker;
    for (const id of ['t1', 't2']) {
      hub.remember(id, 'worker-1', 4);
      hub.tasks.get(id)!.status = 'completed';
      outbox.enqueue({ type: 'task_complete', task_id: id, generation: 4, result: {} });
    }
    outbox.markSent(outbox.find('t1')!.id);
    await connect(worker);
    await worker.advance(10_000);
    expect(outbox.size).toBe(0);
    expect(noted(logger)).toEqual([
      ['info', 'The hub already has this result, or gave up the task; see `ollama-sidecar show`'],
      ['warn', 'The hub rejected a result permanently; see `ollama-sidecar show`'],
    ]);
  });

  test.each([
    ['stale_generation', 'The hub rejected a result permanently; see `ollama-sidecar show`'],
    ['table_corrupted', 'The hub refused a result; the worker will send it again'],
  ])('refused as %s are logged in one line', async (reason, line) => {
    const logger = keptLog();
    const { hub } = await start({}, { logger });
    await worker.take('t1');
    hub.refuseWith = reason;
    worker.complete('t1', 1);
    await until(() => hub.framesOf('task_complete').length > 0, 'the result');
    await quiet();
    const about = logger.shown.filter(({ task_id: taskId }) => taskId === 't1');
    expect(about.map(({ message }) => message)).toEqual([line]);
  });

  test('refused for another reason are tried again later', async () => {
    const { hub, outbox } = await start();
    await worker.take('t1');
    hub.refuseWith = 'table_corrupted';
    worker.fail('t1', 1);
    await until(() => hub.framesOf('task_failed').length === 1, 'the attempt');
    await quiet();
    expect(outbox.size).toBe(1);
    hub.refuseWith = undefined;
    await worker.advance(35_000);
    expect(outbox.size).toBe(0);
  });

  test('a refusal names no task: several results are matched by their order', async () => {
    const { hub, outbox } = await start();
    for (const id of ['a', 'b', 'c']) hub.remember(id, 'worker-1', id === 'b' ? 9 : 1);
    for (const id of ['a', 'b', 'c'])
      outbox.enqueue({ type: 'task_complete', task_id: id, generation: 1, result: {} });
    await worker.link.waitUntilFlushed();
    expect(worker.called('settled')).toEqual([
      ['a', { acknowledged: 'complete' }],
      ['b', { moot: 'stale_generation' }],
      ['c', { acknowledged: 'complete' }],
    ]);
  });

  test('a refusal of a result that counts for another generation since drops nothing', async () => {
    const { hub, outbox } = await start();
    await worker.take('t1');
    hub.lose.add('task_complete');
    worker.complete('t1', 1);
    await until(() => hub.framesOf('task_complete').length === 1, 'the result');
    hub.tasks.get('t1')!.generation = 2;
    hub.push({ type: 'task_assign', task_id: 't1', generation: 2 });
    hub.push({ type: 'error', error: 'task_complete_failed: stale_generation' });
    hub.lose.clear();
    await worker.advance(2_000);
    expect(worker.called('settled')).toEqual([['t1', { acknowledged: 'complete' }]]);
    expect(outbox.size).toBe(0);
    expect(worker.assigned).toHaveLength(1);
  });

  test('of an earlier life are accepted on this line first: the hub is left neither waiting nor distrustful', async () => {
    worker = await linkedWorker();
    const { hub, outbox } = worker;
    hub.remember('t1', 'worker-1', 4);
    outbox.enqueue({ type: 'task_complete', task_id: 't1', generation: 4, result: {} });
    await connect(worker);
    expect(hub.agentState()).toBe('assigned');
    await worker.advance(3_000);
    expect(hub.tasks.get('t1')?.status).toBe('completed');
    expect(hub.agentState()).toBe('idle');
    const spoken = hub.received.map(({ type }) => type).filter((type) => type.startsWith('task_'));
    expect(spoken).toEqual(['task_accepted', 'task_complete']);
    await worker.advance(70_000);
    expect(hub.isUnresponsive()).toBe(false);
  });

  test('of an earlier life stay what they are where an older assignment of the task arrives', async () => {
    worker = await linkedWorker();
    const { hub, outbox } = worker;
    hub.remember('t1', 'worker-1', 4);
    outbox.enqueue({ type: 'task_complete', task_id: 't1', generation: 4, result: {} });
    hub.lose.add('task_complete');
    await connect(worker);
    hub.push({ type: 'task_assign', task_id: 't1', generation: 3 });
    await quiet();
    hub.lose.clear();
    await worker.advance(40_000);
    expect(worker.assigned).toEqual([]);
    expect(hub.tasks.get('t1')?.status).toBe('completed');
    expect(hub.framesOf('task_complete').map(({ generation }) => generation)).not.toContain(3);
  });

  test('after a reconnect wait until their acceptance is acknowledged on the new line', async () => {
    const { hub, outbox } = await start();
    await worker.take('t1');
    await hub.kill();
    worker.complete('t1', 1);
    hub.lose.add('task_accepted');
    await hub.listen();
    await worker.advance(5_000);
    expect(hub.framesOf('task_complete')).toHaveLength(0);
    hub.lose.clear();
    await worker.advance(20_000);
    expect(hub.tasks.get('t1')?.status).toBe('completed');
    expect(hub.agentState()).toBe('idle');
    expect(outbox.size).toBe(0);
  });

  test('do not wait for ever for a hub that acknowledges no acceptance', async () => {
    const { hub } = await start();
    hub.lose.add('task_accepted');
    hub.push({ type: 'task_assign', task_id: 't1', generation: 1 });
    await worker.advance(2_000);
    worker.complete('t1', 1);
    await worker.advance(2_000);
    expect(hub.framesOf('task_complete')).toHaveLength(0);
    for (let second = 0; second < 120 && hub.framesOf('task_complete').length === 0; second += 1)
      await worker.advance(1_000);
    expect(hub.framesOf('task_complete')).toHaveLength(1);
    expect(hub.framesOf('task_accepted')).toHaveLength(3);
  });

  test('do not wait for an acceptance of a line that is gone', async () => {
    worker = await linkedWorker();
    worker.hub.features = { failed_result: true };
    const { hub } = worker;
    await connect(worker);
    hub.lose.add('task_accepted');
    hub.push({ type: 'task_assign', task_id: 't1', generation: 1 });
    await quiet();
    await hub.kill();
    worker.complete('t1', 1);
    await hub.listen();
    await worker.advance(5_000);
    expect(hub.framesOf('task_complete')).toHaveLength(1);
  });

  test('of a failed task say so, cut to the length that the hub takes; its own result only where announced', async () => {
    const { hub, outbox } = await start();
    await worker.take('t1');
    outbox.enqueue({
      type: 'task_failed',
      task_id: 't1',
      generation: 1,
      error: 'x'.repeat(5_000),
      result: { output: 'y' },
    });
    await worker.link.waitUntilFlushed();
    const [frame] = hub.framesOf('task_failed');
    expect(frame?.error).toHaveLength(2_000);
    expect(frame).not.toHaveProperty('result');
    expect(worker.called('settled')).toEqual([['t1', { acknowledged: 'retried' }]]);
  });

  test('of a failed task are whole for a hub that announced failed_result', async () => {
    worker = await linkedWorker();
    worker.hub.features = { failed_result: true };
    await connect(worker);
    await worker.take('t1');
    worker.outbox.enqueue({
      type: 'task_failed',
      task_id: 't1',
      generation: 1,
      error: 'x',
      result: { output: 'y' },
    });
    await worker.link.waitUntilFlushed();
    expect(worker.hub.framesOf('task_failed')).toMatchObject([{ result: { output: 'y' } }]);
  });

  test('a task that is refused at once is accepted first, or the hub would give no more for a minute', async () => {
    const { hub } = await start({
      onAssign: (task) => worker.fail(task.task_id, task.generation, 'worker_busy'),
    });
    hub.submit('t1', { description: 'x' });
    await until(() => hub.tasks.get('t1')?.status === 'dead_letter', 'the third refusal');
    expect(hub.framesOf('task_accepted')).toHaveLength(3);
    expect(hub.agentState()).toBe('idle');
  });

  test('an assignment that cannot be read is failed with the reason', async () => {
    const { hub } = await start();
    hub.submit('t1', { verification_steps: 'all of them' });
    await until(() => hub.tasks.get('t1')?.status === 'dead_letter', 'the third refusal');
    expect(hub.framesOf('task_failed')[0]).toMatchObject({
      generation: 1,
      error: expect.stringMatching(/^invalid_assignment: verification_steps/),
    });
    expect(worker.assigned).toEqual([]);
  });

  test('that the hub cannot read are not sent again; the task fails with a word about it', async () => {
    const { hub, outbox } = await start();
    await worker.take('t1');
    outbox.enqueue({
      type: 'task_complete',
      task_id: 't1',
      generation: 1,
      verification_report: 'bad' as never,
    });
    await worker.link.waitUntilFlushed();
    expect(hub.framesOf('task_failed')).toMatchObject([{ error: expect.stringContaining('result_refused') }]);
    expect(worker.called('settled')).toEqual([
      ['t1', { moot: 'validation_failed' }],
      ['t1', { acknowledged: 'retried' }],
    ]);
  });

  describe('of a task that the hub gave out again', () => {
    test('count for the new generation: the lost connection costs no work', async () => {
      const { hub, outbox } = await start();
      await worker.take('t1');
      await worker.loseConnection();
      worker.complete('t1', 1);
      await worker.advance(3_000);
      expect(hub.tasks.get('t1')).toMatchObject({ status: 'completed', generation: 3 });
      expect(worker.assigned).toHaveLength(1);
      expect(outbox.size).toBe(0);
      expect(hub.framesOf('task_complete')).toMatchObject([{ generation: 3 }]);
    });

    test('count also when they had been refused just before', async () => {
      const { hub, outbox, link } = await start();
      await worker.take('t1');
      worker.hub.tasks.get('t1')!.generation = 5;
      hub.tasks.get('t1')!.status = 'queued';
      worker.complete('t1', 1);
      await until(() => outbox.size === 0, 'the refusal');
      await until(() => link.state === 'waiting', 'the new connection');
      await worker.advance(3_000);
      expect(hub.tasks.get('t1')).toMatchObject({ status: 'completed', generation: 6 });
      expect(worker.assigned).toHaveLength(1);
    });

    test('a failure that may have been counted is run again', async () => {
      const { hub } = await start();
      await worker.take('t1');
      hub.lose.add('task_failed');
      worker.fail('t1', 1);
      await until(() => hub.framesOf('task_failed').length === 1, 'the failure');
      hub.lose.clear();
      await worker.loseConnection();
      await worker.advance(3_000);
      expect(worker.assigned.map((task) => task.generation)).toEqual([1, 3]);
      expect(hub.framesOf('task_failed')).toHaveLength(1);
    });

    test('a failure that never left is not worked out twice', async () => {
      const { hub } = await start();
      await worker.take('t1');
      await worker.loseConnection();
      worker.fail('t1', 1);
      await worker.advance(3_000);
      expect(hub.framesOf('task_failed')).toMatchObject([{ generation: 3 }]);
    });
  });
});
