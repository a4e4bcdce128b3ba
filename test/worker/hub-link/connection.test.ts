import { describe, expect, test } from '@jest/globals';
import { checkHubUrl } from '../../../sidecar/base/addresses/hub-url.ts';
import { eventually } from '../../support/eventually.ts';
import { connect, linkedWorker, type LinkedWorker } from '../../support/linked-worker.ts';
import { quiet, until } from '../../support/until.ts';

describe('the connection to a hub', () => {
  let worker: LinkedWorker;
  const start = async (...args: Parameters<typeof linkedWorker>) => (worker = await linkedWorker(...args));

  test('begins with identify, integers, lists and lengths as the hub wants them, and no password', async () => {
    const { hub } = await start(
      {},
      {
        identity: {
          workerId: 'worker-1',
          token: 'secret',
          capabilities: ['code'],
          capacity: 2,
          models: ['m'],
          version: '1.0.0',
          sandbox: 'bubblewrap',
          ollamaUrl: 'http://me:hunter2@127.0.0.1:11434',
        },
      },
    );
    await connect(worker);
    expect(hub.received[0]).toEqual({
      type: 'identify',
      protocol_version: 1,
      agent_id: 'worker-1',
      token: 'secret',
      name: 'worker-1',
      status: 'idle',
      capabilities: ['code'],
      client_type: 'sidecar',
      ollama_url: 'http://127.0.0.1:11434',
      capacity: 2,
      models: ['m'],
      version: '1.0.0',
      sandbox: 'bubblewrap',
    });
    expect(worker.called('onConnected')).toHaveLength(1);
  });

  test.each([
    ['unknown', 'wrong', 'does not accept this token'],
    ['of another agent', 'other', 'another agent id'],
  ])('a token that is %s ends it for good, with its exit code', async (_what, token, says) => {
    const { hub, link } = await start({}, { identity: { workerId: 'worker-1', token } });
    hub.tokens.set('other', 'worker-2');
    link.start();
    await until(() => link.state === 'stopped', 'the refusal');
    expect(worker.called('onRefused')).toEqual([
      [{ code: 'token_refused', message: expect.stringContaining(says) }],
    ]);
    await worker.advance(120_000);
    expect(hub.framesOf('identify')).toHaveLength(1);
  });

  test('an address beyond this machine must be encrypted', async () => {
    const { link } = await start({}, { url: 'ws://hub.example.org/ws' });
    link.start();
    expect(link.state).toBe('stopped');
    expect(worker.called('onRefused')).toMatchObject([[{ code: 'hub_url_insecure' }]]);
    const verdict = (url: string, allow?: boolean) => {
      const checked = checkHubUrl(url, allow);
      return checked.ok ? checked.value.href : checked.failure.code;
    };
    expect(verdict('ws://hub.example.org/ws', true)).toBe('ws://hub.example.org/ws');
    expect(verdict('wss://hub.example.org')).toBe('wss://hub.example.org/');
    expect(verdict('ws://localhost:4600/ws')).toBe('ws://localhost:4600/ws');
    expect(verdict('http://[::1]:4600/ws')).toBe('ws://[::1]:4600/ws');
    expect(verdict('ws://127.0.0.1.example.org/')).toBe('hub_url_insecure');
    expect(verdict('wss://user:secret@hub.example.org')).toBe('hub_url_invalid');
    expect(verdict('ftp://hub')).toBe('hub_url_invalid');
    expect(verdict('hub')).toBe('hub_url_invalid');
  });

  test('a cooldown is waited for as long as the hub says', async () => {
    const { hub, link } = await start();
    await connect(worker);
    for (let i = 0; i < 10; i += 1) {
      // Frames of a kind that the hub does not know, as a newer worker might send them.
      (link as unknown as { outgoing: { queue(frame: object, priority: string): void } }).outgoing.queue(
        { type: 'task_rejected' },
        'terminal',
      );
      await worker.advance(1_000);
    }
    await until(() => hub.closes.length > 0, 'the close');
    expect(hub.closes.at(-1)).toMatchObject({ code: 1008, reason: 'too many validation errors' });
    await worker.advance(2_000);
    expect(hub.framesOf('identify')).toHaveLength(2);
    expect(hub.closes.at(-1)?.reason).toMatch(/cooldown active: retry in \d+s/);
    expect(worker.called('onDisconnected').at(-1)).toMatchObject([{ retryInMs: expect.any(Number) }]);
    await worker.advance(25_000);
    expect(hub.framesOf('identify')).toHaveLength(2);
    await worker.advance(10_000);
    expect(hub.framesOf('identify')).toHaveLength(3);
    expect(link.state).toBe('ready');
  });

  test.each([
    ['30 s', {}, 10],
    ['2 s, where it announces nothing', undefined, 150],
  ])('is kept alive: the hub gets a ping every %s', async (_what, features, pings) => {
    const { hub, link } = await start();
    hub.features = features;
    await connect(worker);
    await worker.advance(300_000);
    expect(link.state).toBe('ready');
    expect(hub.framesOf('ping')).toHaveLength(pings);
    expect(hub.framesOf('identify')).toHaveLength(1);
  });

  test.each([
    ['ten seconds', {}, 39_000],
    ['four seconds, where it announces nothing', undefined, 5_000],
  ])(
    'a hub that answers no ping within %s is left and looked for again',
    async (_what, features, untilMs) => {
      const { hub, link } = await start();
      hub.features = features;
      await connect(worker);
      hub.mute = true;
      await worker.advance(untilMs);
      expect(link.state).toBe('ready');
      await worker.advance(2_000);
      expect(link.state).not.toBe('ready');
      expect(worker.called('onDisconnected')).toMatchObject([
        [{ reason: expect.stringContaining('no pong') }],
      ]);
      hub.mute = false;
      await worker.advance(20_000);
      expect(link.state).toBe('ready');
    },
  );

  test('a hub that does not answer identify is left as well', async () => {
    const { hub, link } = await start();
    hub.mute = true;
    link.start();
    await until(() => hub.received.length > 0, 'identify');
    await worker.advance(15_000);
    expect(worker.called('onDisconnected')).toMatchObject([[{ retryInMs: 1_000 }]]);
  });

  test('attempts come after 1 s to 15 s, doubling, and begin anew once the hub has answered', async () => {
    const { hub, link, clock } = await start();
    await hub.kill();
    const waits: number[] = [];
    link.start();
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      await until(() => worker.called('onDisconnected').length === attempt, 'a failed attempt');
      const [{ retryInMs }] = worker.called('onDisconnected').at(-1) as [{ retryInMs: number }];
      waits.push(retryInMs);
      await clock.advance(retryInMs);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000, 15_000]);
    await until(() => worker.called('onDisconnected').length === 10, 'a failed attempt');
    await hub.listen();
    await clock.advance(15_000);
    await until(() => link.state === 'ready', 'ready');
    hub.dropConnections();
    await until(() => worker.called('onDisconnected').length === 11, 'the loss');
    expect(worker.called('onDisconnected').at(-1)).toMatchObject([{ retryInMs: 1_000 }]);
  });

  test('there is one connection: an assignment never goes to a socket that was given up', async () => {
    const { hub, link } = await start();
    await connect(worker);
    await worker.loseConnection();
    await worker.advance(1_000);
    await until(() => link.state === 'ready', 'the return');
    expect(hub.connections).toBe(1);
    hub.submit('t1');
    await until(() => worker.assigned.length === 1, 'the assignment');
  });

  test('while the hub has an older, dead connection, tasks are read from its API; when that one ends it joins again', async () => {
    const { hub, link } = await start();
    await connect(worker);
    hub.loseSilently();
    await until(() => link.state === 'waiting', 'the loss');
    await worker.advance(2_000);
    await until(() => link.state === 'ready', 'the return');
    expect(link.hub).toMatchObject({
      noTasksReason: undefined,
      notice: expect.stringContaining('older connection'),
    });
    hub.submit('t1');
    await eventually(
      () => hub.agentState() === 'working',
      'the task',
      () => worker.advance(1_000),
    );
    worker.complete('t1', 1);
    // The hub finds the old connection dead after a minute of silence.
    await eventually(
      () => link.hub.notice === undefined,
      'the end of the older one',
      () => worker.advance(1_000),
    );
    expect(hub.framesOf('identify')).toHaveLength(3);
    hub.submit('t2');
    await until(() => worker.assigned.length === 2, 'the assignment');
    expect(worker.called('onDisconnected')).toHaveLength(1);
  });

  test('a hub without an API is left alone until it has found the older connection dead', async () => {
    const { hub, link } = await start();
    await connect(worker);
    hub.hasApi = false;
    hub.loseSilently();
    await until(() => link.state === 'waiting', 'the loss');
    await eventually(
      () => link.hub.noTasksReason !== undefined,
      'the notice',
      () => worker.advance(1_000),
    );
    expect(link.hub.noTasksReason).toMatch(/disconnects for 60 to 90 s/u);
    await worker.advance(80_000);
    expect(link.state).toBe('ready');
    expect(link.hub).toMatchObject({ noTasksReason: undefined, notice: undefined });
  });

  test('a hub that says again and again that this worker left is joined every 6.5 s; others may leave', async () => {
    const { hub, link } = await start();
    await connect(worker);
    hub.push({ type: 'agent_left', agent_id: 'worker-2' });
    await worker.advance(2_000);
    expect(hub.framesOf('identify')).toHaveLength(1);
    for (let second = 0; second < 100; second += 1) {
      hub.push({ type: 'agent_left', agent_id: 'worker-1' });
      await worker.advance(1_000);
    }
    const joined = hub.framesOf('identify').length;
    expect([joined > 10, joined <= 16]).toEqual([true, true]);
    expect(link.state).toBe('ready');
  });

  test.each([1011, 1002, 4000])('close code %i is a loss like any other', async (code) => {
    const { hub, link } = await start();
    await connect(worker);
    hub.closeConnections(code, 'crash');
    await until(() => link.state === 'waiting', 'the loss');
    await worker.advance(1_000);
    expect(link.state).toBe('ready');
  });

  test('frames that mean nothing, cannot be read or are binary are lived with', async () => {
    const { hub, link } = await start();
    await connect(worker);
    hub.push({ type: 'channel_message', payload: {} });
    hub.push({ type: 'ollama_report_ack' });
    hub.pushText('not json');
    hub.pushText('[1]');
    hub.pushText('{"type":"task_ack"}');
    hub.pushText(Buffer.from([1, 2, 3]));
    hub.push({ type: 'steer', task_id: 't', text: 'go left' });
    await until(() => worker.called('onSteer').length === 1, 'steer');
    expect(worker.called('onSteer')).toEqual([['t', 'go left']]);
    expect(link.state).toBe('ready');
  });

  test('restart and drain reach the worker with their reason, and a handler that throws harms nothing', async () => {
    const { hub, link } = await start({
      onSteer: () => {
        throw new Error('handler');
      },
    });
    await connect(worker);
    hub.push({ type: 'steer', task_id: 't', text: 'x' });
    hub.push({ type: 'restart_sidecar', reason: 'update' });
    hub.push({ type: 'drain' });
    await until(() => worker.called('onDrain').length === 1, 'both');
    expect(worker.called('onRestart')).toEqual([['update']]);
    expect(worker.called('onDrain')).toEqual([['drain']]);
    expect(link.state).toBe('ready');
  });

  test('a stop ends it once, politely, and lets nobody wait', async () => {
    const { hub, link } = await start();
    await connect(worker);
    worker.complete('t1', 1);
    hub.lose.add('task_recovering');
    const flushed = link.waitUntilFlushed();
    link.askAboutTask('t2', 1);
    await quiet();
    await Promise.all([link.stop(), link.stop()]);
    await flushed;
    expect(link.state).toBe('stopped');
    expect(hub.closes.at(-1)?.code).toBe(1000);
    // The hub's own.
    expect(worker.clock.pending).toBe(1);
  });
});
