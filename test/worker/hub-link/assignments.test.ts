import { describe, expect, test } from '@jest/globals';
import { connect, connectedWorker, linkedWorker, type LinkedWorker } from '../../support/linked-worker.ts';
import { quiet, until } from '../../support/until.ts';

describe('assignments', () => {
  let worker: LinkedWorker;
  const start = async (...args: Parameters<typeof connectedWorker>) =>
    (worker = await connectedWorker(...args));

  test('are handed over and accepted', async () => {
    const { hub } = await start();
    await worker.take('t1', { metadata: { keep: null } });
    expect(worker.assigned).toMatchObject([{ task_id: 't1', generation: 1, metadata: { keep: null } }]);
    expect(hub.framesOf('task_accepted')).toEqual([
      { type: 'task_accepted', task_id: 't1', protocol_version: 1 },
    ]);
  });

  test('an acceptance that nobody acknowledged is said again in time', async () => {
    const { hub } = await start();
    hub.lose.add('task_accepted');
    hub.submit('t1');
    await until(() => hub.framesOf('task_accepted').length === 1, 'the first');
    hub.lose.clear();
    await worker.advance(20_000);
    expect(hub.framesOf('task_accepted')).toHaveLength(2);
    expect(hub.agentState()).toBe('working');
  });

  test('after a lost connection the run goes on under the new generation; the abort means the old one', async () => {
    const { hub } = await start();
    await worker.take('t1');
    await worker.loseConnection();
    hub.sent.length = 0;
    await worker.advance(2_000);
    const types = hub.sent.map((frame) => frame.type).filter((type) => type !== 'agent_joined');
    expect(types).toEqual(['identified', 'task_assign', 'state_report_ack', 'task_ack']);
    expect(hub.sent.find(({ type }) => type === 'state_report_ack')).toMatchObject({ action: 'abort' });
    expect(hub.framesOf('state_report')).toMatchObject([
      { generation: 1, status: 'working', assigned_at: expect.any(Number) },
    ]);
    await worker.advance(30_000);
    expect(worker.called('onDrop')).toEqual([]);
    expect(worker.assigned.map((task) => task.generation)).toEqual([1, 3]);
    expect(hub.agentState()).toBe('working');
  });

  test('a task that went to another worker is aborted', async () => {
    const { hub } = await start();
    await worker.take('t1');
    const task = hub.tasks.get('t1')!;
    await worker.loseConnection();
    Object.assign(task, { status: 'assigned', assignedTo: 'worker-9', generation: 3 });
    await worker.advance(10_000);
    expect(worker.called('onDrop')).toEqual([['t1', 1]]);
    await worker.advance(120_000);
    expect(hub.framesOf('task_progress')).toEqual([]);
  });

  test('an abort that comes before the new assignment does not stop the run', async () => {
    const { hub } = await start();
    await worker.take('t1');
    const task = hub.tasks.get('t1')!;
    await worker.loseConnection();
    Object.assign(task, { status: 'assigned', assignedTo: 'nobody yet', generation: 3 });
    await worker.advance(3_000);
    expect(hub.sent.some(({ type, action }) => type === 'state_report_ack' && action === 'abort')).toBe(true);
    hub.push({ type: 'task_assign', task_id: 't1', generation: 5 });
    await worker.advance(10_000);
    expect(worker.called('onDrop')).toEqual([]);
    expect(worker.assigned.at(-1)).toMatchObject({ generation: 5 });
  });

  test('a hub that was killed and came back continues the task, and hears the acceptance again', async () => {
    const { hub, link } = await start();
    await worker.take('t1');
    await hub.kill();
    await until(() => link.state === 'waiting', 'the loss');
    await hub.listen();
    await worker.advance(5_000);
    expect(hub.framesOf('state_report')).toHaveLength(1);
    expect(hub.framesOf('task_accepted')).toHaveLength(2);
    expect(hub.agentState()).toBe('working');
    await worker.advance(120_000);
    expect(hub.tasks.get('t1')).toMatchObject({ status: 'assigned', generation: 1 });
  });

  test('an answer about an assignment that was replaced since stops nothing', async () => {
    const { hub } = await start();
    await worker.take('t1');
    hub.push({ type: 'task_assign', task_id: 't1', generation: 2 });
    await until(() => worker.assigned.length === 2, 'the new assignment');
    hub.push({ type: 'state_report_ack', task_id: 't1', action: 'abort', generation: 1 });
    await quiet();
    await worker.advance(10_000);
    expect(worker.called('onDrop')).toEqual([]);
    hub.push({ type: 'state_report_ack', task_id: 't1', action: 'abort', generation: 2 });
    await quiet();
    await worker.advance(10_000);
    expect(worker.called('onDrop')).toEqual([['t1', 2]]);
  });

  test('an assignment of an older generation is ignored', async () => {
    const { hub } = await start();
    await worker.take('t1');
    hub.push({ type: 'task_assign', task_id: 't1', generation: 0 });
    await quiet();
    expect(worker.assigned).toHaveLength(1);
  });

  test('a task that nobody hears of for a minute shows a sign of life, so that the hub does not take it back', async () => {
    const { hub } = await start();
    await worker.take('t1');
    await worker.advance(600_000);
    const signs = hub.framesOf('task_progress');
    expect(signs.length).toBeGreaterThanOrEqual(9);
    expect(signs.length).toBeLessThanOrEqual(11);
    expect(signs[0]).toEqual({ type: 'task_progress', protocol_version: 1, task_id: 't1' });
    worker.link.release('t1');
    await worker.advance(120_000);
    expect(hub.framesOf('task_progress')).toHaveLength(signs.length);
  });

  test('a cancelled task is told, and nothing more is sent of it', async () => {
    const { hub, link } = await start();
    await worker.take('t1');
    hub.push({ type: 'task_cancelled', task_id: 't1' });
    await until(() => worker.called('onDrop').length === 1, 'the cancellation');
    await worker.advance(200_000);
    expect(hub.framesOf('task_progress')).toEqual([]);
    expect(link.state).toBe('ready');
  });

  test('an acceptance that the hub answers with task_reassign ends the task', async () => {
    const { hub } = await start();
    await worker.take('t1');
    hub.push({ type: 'task_reassign', task_id: 't1' });
    await until(() => worker.called('onDrop').length === 1, 'the answer');
    expect(worker.called('onDrop')).toEqual([['t1', undefined]]);
  });

  test('an acceptance before there is a connection is said when there is one', async () => {
    worker = await linkedWorker();
    const { hub, link } = worker;
    hub.remember('t1', 'worker-1', 2);
    link.accept('t1', 2);
    await connect(worker);
    await until(() => hub.framesOf('task_accepted').length === 1, 'the acceptance');
    expect(hub.agentState()).toBe('working');
  });

  describe('of an earlier life of the worker', () => {
    test('go on when the hub still has them so', async () => {
      worker = await linkedWorker();
      const { hub, link } = worker;
      hub.remember('t1', 'worker-1', 4);
      link.askAboutTask('t1', 4);
      await connect(worker);
      await until(() => worker.called('onContinue').length === 1, 'the answer');
      expect(worker.called('onContinue')).toEqual([['t1', 4]]);
      link.accept('t1', 4);
      await until(() => hub.agentState() === 'working', 'acceptance');
      await worker.loseConnection();
      await worker.advance(2_000);
      expect(hub.framesOf('state_report')).toMatchObject([{ generation: 4 }]);
    });

    test('are dropped when the hub says so', async () => {
      const { link } = await start();
      link.askAboutTask('gone', 1);
      await until(() => worker.called('onDrop').length === 1, 'the answer');
      expect(worker.called('onDrop')).toEqual([['gone', 1]]);
    });

    test('that were given out again to this worker come as assignments, once', async () => {
      worker = await linkedWorker();
      const { hub, link } = worker;
      hub.submit('t1');
      hub.tasks.get('t1')!.generation = 2;
      link.askAboutTask('t1', 1);
      await connect(worker);
      await worker.advance(40_000);
      expect(worker.assigned).toMatchObject([{ task_id: 't1', generation: 3 }]);
      expect([...worker.called('onContinue'), ...worker.called('onDrop')]).toEqual([]);
      expect(hub.agentState()).toBe('working');
    });

    test.each([
      ['a newer generation, which only an assignment can confirm', undefined, 3, [], [['t1', 1]]],
      ['a newer generation of a hub that says so of own tasks only', {}, 3, [['t1', 3]], []],
      ['none', undefined, undefined, [['t1', 1]], []],
    ])(
      'that the hub says to go on with under %s',
      async (_what, features, generation, continued, dropped) => {
        worker = await linkedWorker();
        const { hub, link } = worker;
        hub.features = features;
        hub.lose.add('task_recovering');
        await connect(worker);
        link.askAboutTask('t1', 1);
        for (let time = 0; time < 2; time += 1) {
          hub.push({ type: 'task_continue', task_id: 't1', ...(generation !== undefined && { generation }) });
          await worker.advance(4_000);
        }
        expect(worker.called('onContinue')).toEqual(continued);
        await worker.advance(2_000);
        expect(worker.called('onDrop')).toEqual(dropped);
      },
    );

    test('are asked for again until there is an answer', async () => {
      const { hub, link } = await start();
      hub.lose.add('task_recovering');
      link.askAboutTask('t1', 1);
      await worker.advance(31_000);
      expect(hub.framesOf('task_recovering')).toHaveLength(3);
      hub.lose.clear();
      await worker.advance(31_000);
      expect(worker.called('onDrop')).toEqual([['t1', 1]]);
    });
  });
});
