import { describe, expect, test } from '@jest/globals';
import type { ExecutionEvent } from '../../../sidecar/base/protocol/events.ts';
import { ProgressBuffer } from '../../../sidecar/worker/hub-link/progress.ts';
import { reportUsage } from '../../../sidecar/worker/usage-report.ts';
import { connect, connectedWorker, linkedWorker, type LinkedWorker } from '../../support/linked-worker.ts';
import { quiet, until } from '../../support/until.ts';

const token = (text: string, seq: number): ExecutionEvent => ({ event_type: 'token', text, seq });
const tool = (seq: number, over: Partial<ExecutionEvent> = {}): ExecutionEvent => ({
  event_type: 'tool_call',
  text: `read_file a${seq} → OK (1 ms)`,
  call_id: `c${seq}`,
  tool_name: 'read_file',
  phase: 'finished',
  seq,
  ...over,
});

describe('progress', () => {
  const start = async (features?: object) => {
    const started = await linkedWorker();
    started.hub.features = features;
    await connect(started);
    await started.take('t1');
    return started;
  };
  const eventsOf = ({ hub }: LinkedWorker): ExecutionEvent[] =>
    hub.framesOf('task_progress').flatMap(({ execution_event: event }) => (event ? [event] : []));

  test('goes at once while there is room', async () => {
    const started = await start();
    const { link, hub } = started;
    await started.advance(5_000);
    link.sendProgress('t1', tool(1));
    await until(() => hub.framesOf('task_progress').length === 1, 'the event');
    expect(hub.framesOf('task_progress')[0]).toEqual({
      type: 'task_progress',
      protocol_version: 1,
      task_id: 't1',
      // The page of that hub appends texts.
      execution_event: { ...tool(1), text: `${tool(1).text}\n` },
    });
  });

  test.each([
    ['as much as the operator says that the hub takes', { framesPerMinute: 600 }, 30],
    [
      'all of a first task, where the hub has not heard of the worker for a minute',
      { isBucketFull: true },
      30,
    ],
    ['little at a start that may follow another one at once', {}, 0],
  ])('goes at once: %s', async (_what, known, frames) => {
    const started = await linkedWorker({}, known);
    await connect(started);
    await started.take('t1');
    for (let seq = 1; seq <= 30; seq += 1) started.link.sendProgress('t1', tool(seq));
    await quiet();
    expect(started.hub.framesOf('task_progress')).toHaveLength(frames);
  });

  test('of a command that writes to both streams goes in frames of one stream, in order, two for all of it', async () => {
    const started = await start();
    for (let line = 1; line <= 10; line += 1) {
      started.link.sendProgress('t1', { event_type: 'stdout', text: `out ${line}\n` });
      started.link.sendProgress('t1', { event_type: 'stderr', text: `err ${line}\n` });
    }
    started.link.sendProgress('t1', tool(1));
    await started.advance(10_000);
    const lines = (of: string) => Array.from({ length: 10 }, (_, index) => `${of} ${index + 1}`).join('\n');
    expect(eventsOf(started)).toMatchObject([
      { event_type: 'tool_call', text: `${lines('out')}\n\n${tool(1).text}\n` },
      { event_type: 'stderr', text: `${lines('err')}\n` },
    ]);
  });

  test('tells of calls of the model only where the hub reads them', async () => {
    const call = {
      event_type: 'status',
      text: 'Asking m',
      model_call: { id: '1', phase: 'started', kind: 'answer' },
    };
    for (const [features, expected] of [
      [undefined, [{ ...tool(2), text: `${tool(2).text}\n` }]],
      [{ event_batch: true }, [call, tool(2)]],
    ] as const) {
      const started = await start(features);
      await started.advance(5_000);
      started.link.sendProgress('t1', call as ExecutionEvent);
      started.link.sendProgress('t1', tool(2));
      await until(() => eventsOf(started).length > 0, 'the events');
      const [first] = eventsOf(started);
      expect((first as { events?: object[] }).events ?? [first]).toEqual(expected);
    }
  });

  test('events of a moment share a frame, and those that still wait leave when the link stops', async () => {
    const started = await start({ event_batch: true });
    await started.advance(5_000);
    const { link, hub } = started;
    const before = hub.framesOf('task_progress').length;
    link.sendProgress('t1', tool(1));
    await new Promise((resolve) => setImmediate(resolve));
    link.sendProgress('t1', tool(2));
    await until(() => hub.framesOf('task_progress').length > before, 'the first two');
    link.sendProgress('t1', tool(3));
    await link.stop();
    await until(() => hub.framesOf('task_progress').length > before + 1, 'the third');
    expect(eventsOf(started)).toMatchObject([{ events: [tool(1), tool(2)] }, tool(3)]);
  });

  test('shows what is behind an event only where the hub keeps it there', async () => {
    const details = [{ title: 'Change', text: '+ a' }];
    for (const features of [{ event_batch: true }, { event_batch: true, event_details: true }]) {
      const started = await start(features);
      await started.advance(5_000);
      started.link.sendProgress('t1', tool(1, { details }));
      await until(() => eventsOf(started).length > 0, 'the event');
      expect(eventsOf(started)[0]).toEqual('event_details' in features ? tool(1, { details }) : tool(1));
    }
  });

  test('a talkative task never draws rate_limited, loses no tool call and no token text', async () => {
    const started = await start();
    const { link, hub } = started;
    let seq = 0;
    let said = '';
    for (let second = 0; second < 300; second += 1) {
      for (let i = 0; i < 10; i += 1) {
        said += `${seq};`;
        link.sendProgress('t1', token(`${seq};`, (seq += 1)));
      }
      if (second % 3 === 0) link.sendProgress('t1', tool((seq += 1)));
      if (second % 60 === 0) link.reportResources({ cpu_percent: 1.5, vram_used_bytes: null });
      await started.advance(1_000);
    }
    await started.advance(5_000);
    expect(hub.sent.filter(({ type }) => type === 'rate_limited')).toEqual([]);
    expect(hub.framesOf('resource_report').length).toBeGreaterThanOrEqual(4);
    const text = eventsOf(started)
      .map((event) => event.text)
      .join('\n');
    expect(text.match(/read_file a\d+ → OK/g)).toHaveLength(100);
    expect(text.replaceAll(/read_file a\d+ → OK \(1 ms\)|\n/g, '')).toBe(said);
    const numbers = eventsOf(started).map((event) => event.seq);
    expect(numbers).toEqual([...numbers].sort((a, b) => Number(a) - Number(b)));
    // Room is left for results at any time.
    started.complete('t1', 1);
    await until(() => hub.tasks.get('t1')?.status === 'completed', 'the result');
  });

  test('a bucket that an earlier life of the worker emptied is found out without a violation', async () => {
    const started = await linkedWorker();
    started.hub.drainBucket('worker-1', 9);
    await connect(started);
    started.hub.submit('t1');
    for (let i = 1; i <= 200; i += 1) {
      started.link.sendProgress('t1', tool(i));
      if (i % 10 === 0) await started.advance(1_000);
    }
    await started.advance(20_000);
    expect(started.hub.sent.filter(({ type }) => type === 'rate_limited')).toEqual([]);
  });

  test('a dropped frame is believed: nothing is sent before the hub allows it, and the result comes again', async () => {
    const started = await start();
    const { hub, outbox } = started;
    hub.drainBucket('worker-1', 0);
    started.complete('t1', 1);
    await until(() => hub.sent.some(({ type }) => type === 'rate_limited'), 'rate_limited');
    expect(outbox.size).toBe(1);
    await started.advance(10_000);
    expect(outbox.size).toBe(0);
    expect(hub.tasks.get('t1')?.status).toBe('completed');
    expect(hub.sent.filter(({ type }) => type === 'rate_limited')).toHaveLength(1);
  });

  test('the last events of a task go before its result', async () => {
    const started = await start();
    const { hub, link } = started;
    for (let i = 1; i <= 100; i += 1) link.sendProgress('t1', tool(i));
    started.complete('t1', 1);
    await link.waitUntilFlushed();
    const types = hub.received.map(({ type }) => type);
    expect(types.at(-1)).toBe('task_complete');
    expect(eventsOf(started).at(-1)?.text).toContain('read_file a100');
  });

  test('in passing is left out of a burst: thirty short tasks are done within a minute', async () => {
    const started: LinkedWorker = await connectedWorker({
      onAssign: (task) => {
        started.link.accept(task.task_id);
        const { task_id: taskId, generation } = task;
        started.link.sendProgress(taskId, {
          event_type: 'status',
          text: 'm is being loaded',
          droppable: true,
        });
        started.link.sendProgress(taskId, token('an answer', 2));
        if (taskId === 'task-29') started.link.sendProgress(taskId, tool(3));
        started.complete(taskId, generation);
      },
    });
    const { hub } = started;
    for (let index = 0; index < 30; index += 1) hub.submit(`task-${index}`);
    await started.advance(60_000);
    expect([...hub.tasks.values()].filter(({ status }) => status !== 'completed')).toEqual([]);
    expect(hub.sent.filter(({ type }) => type === 'rate_limited')).toEqual([]);
    // What is more than passing is told, in a burst as well.
    expect(eventsOf(started).map(({ text }) => text)).toContain(`${tool(3).text}\n`);
  });

  test('waits while the connection is lost, and until the hub knows again who has the task', async () => {
    const started = await start();
    const { hub, link } = started;
    await started.loseConnection();
    link.sendProgress('t1', tool(1));
    link.sendProgress('t1', tool(2));
    await started.advance(10_000);
    const order = hub.received
      .slice(hub.received.findLastIndex(({ type }) => type === 'identify'))
      .map(({ type }) => type)
      .filter((type) => type !== 'ping');
    expect(order).toEqual(['identify', 'state_report', 'task_accepted', 'task_progress']);
    expect(eventsOf(started)).toMatchObject([
      { event_type: 'tool_call', text: expect.stringMatching(/a1.*\n.*a2/) },
    ]);
  });

  test('a hub with event_batch gets every event of a merged frame, and its own limits hold', async () => {
    const started = await start({
      event_batch: true,
      limits: { framesPerMinute: 60, maxFrameBytes: 100_000 },
    });
    const { hub, link } = started;
    const all: number[] = [];
    for (let i = 1; i <= 500; i += 1) {
      link.sendProgress('t1', tool(i));
      all.push(i);
    }
    await started.advance(30_000);
    const sent = eventsOf(started).flatMap(
      (event) => (event.events as ExecutionEvent[] | undefined) ?? [event],
    );
    expect(sent.map((event) => event.seq)).toEqual(all);
    expect(sent.at(-1)).toEqual(tool(500));
    expect(hub.sent.filter(({ type }) => type === 'rate_limited')).toEqual([]);
  });

  test('an announced limit is used: thousands of frames a minute', async () => {
    const started = await start({ limits: { framesPerMinute: 6_000 } });
    for (let i = 1; i <= 300; i += 1) started.link.sendProgress('t1', tool(i));
    await quiet();
    expect(started.hub.framesOf('task_progress').length).toBeGreaterThanOrEqual(300);
  });

  describe('the buffer', () => {
    test('drops streamed text, the oldest first, and nothing else', () => {
      const buffer = new ProgressBuffer();
      for (let i = 0; i < 2_000; i += 1) {
        buffer.add('t', { event_type: 'stdout', text: 'x'.repeat(1_000) });
        if (i % 4 === 0) buffer.add('t', tool(i));
        if (i % 2 === 0) buffer.add('t', { event_type: 'status', text: `s${i}` });
      }
      const taken: ExecutionEvent[] = [];
      while (buffer.has('t')) taken.push(...buffer.take('t'));
      const count = (type: string) => taken.filter((event) => event.event_type === type).length;
      expect(count('tool_call')).toBe(500);
      // One more says how much was dropped.
      expect(count('status')).toBe(1_001);
      const kept = taken
        .filter(({ event_type: type }) => type === 'stdout')
        .reduce((sum, { text }) => sum + text.length, 0);
      expect(kept).toBeLessThanOrEqual(128 * 1024);
      const dropped = 2_000_000 - kept;
      expect(taken[0]?.text).toContain(`${dropped} characters of streamed output were omitted`);
    });

    test('lets tasks take turns', () => {
      const buffer = new ProgressBuffer();
      for (let i = 0; i < 500; i += 1) buffer.add('loud', tool(i));
      buffer.add('quiet', tool(1));
      const order: string[] = [];
      for (
        let next = buffer.findNextTask(() => true);
        next !== undefined;
        next = buffer.findNextTask(() => true)
      ) {
        order.push(next);
        buffer.take(next);
      }
      expect(order).toEqual(['loud', 'quiet', 'loud', 'loud']);
    });
  });
});

describe('a worker that is not ready', () => {
  test('says so on each connection, to a hub that reads it and to no other', async () => {
    const worker = await linkedWorker();
    worker.hub.features = { worker_status: true };
    worker.link.reportStatus({ notReady: 'no Ollama server' });
    await connect(worker);
    await until(() => worker.hub.framesOf('worker_status').length === 1, 'the first');
    worker.hub.features = undefined;
    await worker.loseConnection();
    await worker.advance(2_000);
    worker.link.reportStatus({});
    await quiet();
    expect(worker.hub.framesOf('worker_status')).toMatchObject([{ not_ready: 'no Ollama server' }]);
  });
});

describe('what a cancelled task used', () => {
  test('is told to a hub that counts it, and to no other', async () => {
    const worker = await linkedWorker();
    const ledger = {
      readTaskTotals: () => ({ calls: 1, tokensIn: 5, tokensOut: 2, costUsd: 0, gpuSeconds: 0 }),
    };
    const report = (taskId: string) => reportUsage({ ...worker, ledger }, taskId);
    worker.hub.features = { used: true };
    await connect(worker);
    await worker.advance(5_000);
    report('t1');
    await until(() => worker.hub.framesOf('task_progress').length === 1, 'the costs');
    expect(worker.hub.framesOf('task_progress')).toMatchObject([
      { task_id: 't1', execution_event: { used: { tokens_in: 5, tokens_out: 2, cost_usd: 0 } } },
    ]);
    worker.hub.features = undefined;
    await worker.loseConnection();
    await worker.advance(5_000);
    report('t2');
    await quiet();
    expect(worker.hub.framesOf('task_progress')).toHaveLength(1);
  });
});

describe('approvals', () => {
  const request = { task_id: 't1', approval_id: 'a1', kind: 'command' as const, summary: 'rm -rf build' };

  test('are not asked of a hub that did not announce them', async () => {
    const worker = await connectedWorker();
    expect(await worker.link.requestApproval(request, { timeoutMs: 1_000 })).toEqual({
      ok: false,
      reason: 'unsupported',
    });
    expect(worker.hub.framesOf('approval_request')).toEqual([]);
  });

  test('of two tasks may have one name: an answer is for its task only', async () => {
    const worker = await linkedWorker();
    const { hub, link } = worker;
    hub.features = { approval: true };
    await connect(worker);
    const [first, second] = ['t1', 't2'].map((task) =>
      link.requestApproval({ ...request, task_id: task }, { timeoutMs: 5_000 }),
    );
    hub.push({ type: 'approval_response', task_id: 't1', approval_id: 'a1', decision: 'accepted' });
    expect(await first).toEqual({ ok: true, decision: 'accepted' });
    await worker.advance(5_000);
    expect(await second).toEqual({ ok: false, reason: 'timeout' });
  });

  test('that come while the line is down are asked when it is back', async () => {
    const worker = await linkedWorker();
    const { hub, link } = worker;
    hub.features = { approval: true };
    await connect(worker);
    await worker.loseConnection();
    const answer = link.requestApproval(request, { timeoutMs: 600_000 });
    await worker.advance(2_000);
    await until(() => hub.framesOf('approval_request').length === 1, 'the question');
    hub.push({ type: 'approval_response', task_id: 't1', approval_id: 'a1', decision: 'rejected' });
    expect(await answer).toEqual({ ok: true, decision: 'rejected' });
  });

  test('are asked again after a reconnect, answered, or end by time, abort and stop', async () => {
    const worker = await linkedWorker();
    const { hub, link } = worker;
    hub.features = { approval: true };
    hub.lose.add('approval_request');
    await connect(worker);
    const answer = link.requestApproval(request, { timeoutMs: 600_000 });
    await until(() => hub.framesOf('approval_request').length === 1, 'the question');
    await worker.loseConnection();
    await worker.advance(2_000);
    expect(hub.framesOf('approval_request')).toMatchObject([request, request]);
    hub.push({
      type: 'approval_response',
      task_id: 't1',
      approval_id: 'a1',
      decision: 'corrected',
      text: 'only dist',
    });
    expect(await answer).toEqual({ ok: true, decision: 'corrected', text: 'only dist' });

    const late = link.requestApproval({ ...request, approval_id: 'a2' }, { timeoutMs: 5_000 });
    await worker.advance(5_000);
    expect(await late).toEqual({ ok: false, reason: 'timeout' });
    const stop = new AbortController();
    const aborted = link.requestApproval(
      { ...request, approval_id: 'a3' },
      { timeoutMs: 5_000, signal: stop.signal },
    );
    stop.abort();
    expect(await aborted).toEqual({ ok: false, reason: 'aborted' });
    const stopped = link.requestApproval({ ...request, approval_id: 'a4' }, { timeoutMs: 5_000 });
    await link.stop();
    expect(await stopped).toEqual({ ok: false, reason: 'stopped' });
  });
});
