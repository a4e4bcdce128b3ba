/** The hub's side of the protocol, over real sockets. */
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { WebSocketServer } from 'ws';
import { WorkerSession } from '../../sidecar/hub/socket/worker-session.ts';
import { silentLogger } from '../../sidecar/base/observability/silent-logger.ts';
import { systemClock } from '../../sidecar/base/system/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { testHub } from './hub-fixture.ts';
import type { Json } from './hub-fixture.ts';
import { SimulatedWorker } from './simulated-worker.ts';
import { hubFeaturesSchema } from '../../sidecar/base/protocol/hub-frames.ts';
import { workerFrameSchemas } from '../../sidecar/base/protocol/worker-frames.ts';
import { scaled } from '../support/scale.ts';

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
    const additions = Object.keys(hubFeaturesSchema.shape).map((name) => [name, true]);
    expect(worker.heard[0]).toMatchObject({
      type: 'identified',
      agent_id: 'worker-1',
      features: {
        ...Object.fromEntries(additions),
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
    await worker.ping();
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
      await worker.ping();
      await clock.advance(30_000);
    }
    const again = await worker.next('task_assign');
    expect(again).toMatchObject({ task_id: id });
    expect(Number(again.generation)).toBeGreaterThan(Number(first.generation));
  });
});

describe('limits of a connection', () => {
  test('frames over the announced rate are answered with rate_limited and not acted on, after a warning', async () => {
    const clock = new ManualClock();
    const hub = await testHub({ clock, framesPerMinute: 10 });
    const { worker, id } = await hub.running();
    for (let seq = 1; seq <= 12; seq += 1)
      worker.event(id, { event_type: 'status', text: `event ${seq}`, seq });
    expect(await worker.next('rate_limit_warning')).toMatchObject({ remaining: 1, capacity: 10 });
    expect(await worker.next('rate_limited')).toMatchObject({ retry_after_ms: 6_000 });
    await worker.ping();
    await clock.advance(6_000);
    worker.event(id, { event_type: 'status', text: 'event 13', seq: 13 });
    await worker.ping();
    await clock.advance(100);
    const { events } = (await hub.get(`/api/tasks/${id}/events`)).body;
    const texts = events.filter((one: Json) => one.kind === 'execution').map((one: Json) => one.body.text);
    expect(texts).toEqual([...Array.from({ length: 9 }, (_, index) => `event ${index + 1}`), 'event 13']);
  });

  test('ten unreadable frames in a minute close the socket with 1008; unknown types do not count', async () => {
    const hub = await testHub();
    const worker = await hub.worker();
    for (let count = 0; count < 20; count += 1) worker.say('agent_restarting', { reason: 'x' });
    for (let count = 0; count < 5; count += 1) worker.socket.send('{"type":');
    expect(await worker.next('error')).toMatchObject({ error: 'invalid_json' });
    for (let count = 0; count < 5; count += 1)
      worker.say('task_complete', { task_id: 'x', generation: 'one' });
    expect(await worker.next('error', { error: 'validation_failed' })).toMatchObject({
      message_type: 'task_complete',
      errors: [{ field: 'generation' }],
    });
    expect(await worker.whenClosed()).toMatchObject({ code: 1008 });
  });

  test('a worker that says nothing for 60 s is closed with 1002', async () => {
    const clock = new ManualClock();
    const hub = await testHub({ clock });
    const worker = await hub.worker();
    await clock.advance(59_000);
    expect(worker.closed).toBeUndefined();
    await clock.advance(1_000);
    expect(await worker.whenClosed()).toMatchObject({ code: 1002 });
  });

  test('binary frames are answered with 1011, frames over 4 MiB with 1009', async () => {
    const hub = await testHub();
    const binary = await hub.worker();
    binary.socket.send(Buffer.from('{"type":"ping"}'), { binary: true });
    expect(await binary.whenClosed()).toMatchObject({ code: 1011 });
    const large = await hub.worker({ agentId: 'large' });
    large.socket.send(JSON.stringify({ type: 'ping', pad: 'x'.repeat(4 * 1024 * 1024) }));
    expect(await large.whenClosed()).toMatchObject({ code: 1009 });
  });

  test('pages of other sites cannot connect, nor can anything on another path', async () => {
    const hub = await testHub();
    for (const origin of ['https://evil.example', 'http://127.0.0.1:1', 'null'])
      await expect(SimulatedWorker.connect(hub.hub.wsUrl, origin)).rejects.toThrow('403');
    await expect(SimulatedWorker.connect(hub.hub.wsUrl.replace('/ws', '/other'))).rejects.toThrow('404');
    const own = await SimulatedWorker.connect(hub.hub.wsUrl, hub.hub.url);
    await own.leave();
  });

  test('a refused client that never closes its side does not hold the hub open', async () => {
    const hub = await testHub();
    const socket = connect({
      port: Number(new URL(hub.hub.url).port),
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    socket.on('error', () => undefined).resume();
    socket.write('GET /elsewhere HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    await once(socket, 'end');
    await hub.close();
    socket.destroy();
  });

  test('a newer connection of the same worker ends the older one and takes its tasks', async () => {
    const hub = await testHub();
    const token = await hub.hub.issueToken('worker', 'worker-1');
    const older = await hub.worker({ token });
    const id = await hub.submit();
    await older.accept();
    const newer = await hub.worker({ token });
    expect(await older.whenClosed()).toEqual({
      code: 1008,
      reason: 'another program connected with this agent id; cooldown active: retry in 60s',
    });
    expect(await newer.next('task_assign')).toMatchObject({ task_id: id });
    expect((await hub.get('/api/workers')).body.workers).toHaveLength(1);
  });

  test('several events in one frame are kept in their order', async () => {
    const hub = await testHub();
    const { worker, id, assigned } = await hub.running();
    const events = Array.from({ length: 50 }, (_, index) => ({
      event_type: 'status',
      text: `e${index}`,
      seq: index + 1,
    }));
    worker.event(id, { event_type: 'status', text: '50 events', events });
    await worker.finish(assigned);
    const stored = (await hub.get(`/api/tasks/${id}/events`)).body.events.filter(
      (one: Json) => one.kind === 'execution',
    );
    expect(stored.map((one: Json) => one.body.text)).toEqual(events.map(({ text }) => text));
  });

  test('no sequence of frames, however wrong, ends the hub', async () => {
    const hub = await testHub();
    const types = Object.keys(workerFrameSchemas);
    const values = [null, 0, -1, 1.5, '', 'x', '\u0000', [], {}, true, 'y'.repeat(3_000), { type: 'ping' }];
    const field = fc.constantFrom(
      'task_id',
      'generation',
      'result',
      'execution_event',
      'error',
      'status',
      'approval_id',
      'token',
      'agent_id',
    );
    const frame = fc.record({
      type: fc.constantFrom(...types),
      fields: fc.dictionary(field, fc.constantFrom(...values)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 30 }), async (frames) => {
        const worker = await hub.worker({ agentId: 'fuzz' });
        for (const { type, fields } of frames) worker.say(type, fields);
        await worker.leave();
      }),
      { numRuns: scaled({ quick: 15, full: 200 }) },
    );
    expect((await hub.get('/api/stats')).status).toBe(200);
  });
});

describe('a connection that does not say who it is', () => {
  test('is closed after a while, pings or not', async () => {
    const clock = new ManualClock();
    const hub = await testHub({ clock });
    const stranger = await SimulatedWorker.connect(hub.hub.wsUrl);
    await stranger.ping();
    await clock.advance(15_000);
    expect(await stranger.whenClosed()).toMatchObject({ code: 1008 });
  });

  test('sends no large frames', async () => {
    const hub = await testHub();
    const stranger = await SimulatedWorker.connect(hub.hub.wsUrl);
    const events = Array.from({ length: 100_000 }, () => ({}));
    stranger.say('task_progress', { task_id: 't', execution_event: { events } });
    expect(await stranger.whenClosed()).toMatchObject({ code: 1008 });
  });
});

test('frames that wait to be handled are bounded by their bytes', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const refused: string[] = [];
  server.on('connection', (socket) => {
    const session = new WorkerSession({
      socket,
      clock: systemClock,
      logger: silentLogger,
      framesPerMinute: 1e6,
      onFrame: () => new Promise(() => undefined),
      onRefused: (reason) => refused.push(reason),
      onGone: () => Promise.resolve(),
    });
    session.profile = {
      workerId: 'a',
      name: 'a',
      labels: [],
      models: [],
      capacity: 1,
      supportsExtensions: true,
    };
  });
  await once(server, 'listening');
  const worker = await SimulatedWorker.connect(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const text = 'x'.repeat(3 * 1024 * 1024);
  for (let frame = 0; frame < 30; frame += 1) worker.event('t', { event_type: 'stdout', text });
  expect(await worker.whenClosed()).toEqual({ code: 1008, reason: 'too many frames at once' });
  expect(refused).toContain('too_many');
  await new Promise((closed) => server.close(closed));
});

test('a hub that closes lets nobody in, and ends', async () => {
  const hub = await testHub();
  await hub.worker();
  const closed = hub.hub.close();
  await expect(SimulatedWorker.connect(hub.hub.wsUrl)).rejects.toThrow(
    /503|ECONNREFUSED|ECONNRESET|socket hang up/u,
  );
  await closed;
});
