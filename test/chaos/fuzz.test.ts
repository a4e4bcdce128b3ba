/**
 * Both ends against a peer that has gone mad: no crash, no growth without end,
 * connections closed as the protocol says, and afterwards the same work as before.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { CleanupStack } from '../../sidecar/base/system/cleanup-stack.ts';
import { HubLink } from '../../sidecar/worker/hub-link/hub-link.ts';
import { createOutbox } from '../../sidecar/base/storage/outbox.ts';
import { openStateDatabase } from '../../sidecar/base/storage/state-database.ts';
import { testHub } from '../hub/hub-fixture.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { eventually } from '../support/eventually.ts';
import { heldBytes } from '../support/held-memory.ts';
import { quiet } from '../support/until.ts';
import { randomFrom } from '../support/random.ts';
import { countOf, seedOf } from '../support/scale.ts';
import { strangeFrames } from './strange-frames.ts';

const FRAMES = countOf('FUZZ_FRAMES', { quick: 1_000, full: 200_000 });
const SEED = seedOf('FUZZ_SEED');
/** All frames together are more than 100 MB; measured: 5 to 10 MB are held, however many there are. */
const MAX_GROWTH_BYTES = 48 * 1024 * 1024;

describe(`frames of a peer that has gone mad (seed ${SEED})`, () => {
  const tempFolder = tempFolders();
  const cleanup = new CleanupStack();
  afterEach(() => cleanup.close());

  test(`the hub outlives ${FRAMES} of them`, async () => {
    const random = randomFrom(SEED);
    const setup = await testHub({ framesPerMinute: 1_000_000 });
    const token = await setup.hub.issueToken('worker', 'mad');
    const taskId = await setup.submit();
    const known = { task_id: taskId, generation: 1, agent_id: 'mad', token };
    const frames = strangeFrames(random, known);
    const codes = new Set<number>();
    const before = heldBytes();
    const identify = JSON.stringify({ type: 'identify', ...known, capacity: 2 });
    for (let sent = 0; sent < FRAMES;) {
      const socket = new WebSocket(setup.hub.wsUrl);
      const closed = new Promise<void>((resolve) => {
        socket.on('close', (code) => {
          codes.add(code);
          resolve();
        });
      });
      await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject));
      socket.on('error', () => undefined);
      if (random() < 0.8) socket.send(identify);
      for (let i = 0; i < 40 && sent < FRAMES && socket.readyState === WebSocket.OPEN; i += 1, sent += 1) {
        socket.send(frames.next());
        if (i % 8 === 7) await quiet(1);
      }
      if (random() < 0.5) socket.terminate();
      else socket.close();
      await closed;
    }
    expect([...codes].filter((code) => ![1005, 1006, 1008, 1011].includes(code))).toEqual([]);
    expect(codes).toContain(1008);
    expect(heldBytes() - before).toBeLessThan(MAX_GROWTH_BYTES);
    const sane = await setup.worker({ agentId: 'sane', capacity: 5 });
    const next = await setup.submit({ agent_id: 'sane' });
    await sane.next('task_assign', { task_id: next });
    sane.say('task_accepted', { task_id: next });
    sane.say('task_complete', { task_id: next, generation: 1, result: { status: 'success' } });
    await sane.next('task_ack', { task_id: next, status: 'complete' });
  });

  test('the hub closes after ten frames that cannot be read, after a binary one and after one beyond its size', async () => {
    const setup = await testHub();
    const token = await setup.hub.issueToken('worker', 'w');
    const closeCode = async (send: (socket: WebSocket) => void) => {
      const socket = new WebSocket(setup.hub.wsUrl);
      await new Promise((resolve) => socket.once('open', resolve));
      const closed = new Promise<number>((resolve) => socket.once('close', resolve));
      send(socket);
      return closed;
    };
    const tenBad = (socket: WebSocket) =>
      Array.from({ length: 10 }, () => socket.send('{"type":"identify"}'));
    expect(await closeCode((socket) => void tenBad(socket))).toBe(1008);
    expect(await closeCode((socket) => socket.send(Buffer.from('{}')))).toBe(1011);
    expect(await closeCode((socket) => socket.send('x'.repeat(4 * 1024 * 1024 + 1)))).toBe(1009);
    const worker = await setup.worker({ agentId: 'w', token });
    expect(worker.closed).toBeUndefined();
  });

  test('a worker that says `identify` twice keeps its connection and its task', async () => {
    const setup = await testHub();
    const token = await setup.hub.issueToken('worker', 'w');
    const worker = await setup.worker({ agentId: 'w', token });
    worker.identify({ agentId: 'w', token });
    await worker.next('identified');
    const id = await setup.submit();
    await worker.next('task_assign', { task_id: id });
    expect(worker.closed).toBeUndefined();
  });

  test(`the worker's link outlives ${FRAMES} of them`, async () => {
    const random = randomFrom(SEED + 1);
    const clock = new ManualClock();
    const hub = await strangeHub();
    cleanup.add(() => hub.close());
    const db = await openStateDatabase(tempFolder());
    cleanup.add(() => db.close());
    let refused = 0;
    const tasks = new Set<string>();
    const newLink = () => {
      const link = new HubLink({
        url: hub.url,
        identity: { workerId: 'w', token: 'secret' },
        outbox: createOutbox(db),
        clock,
        random,
      });
      link.start({
        onAssign(task) {
          tasks.add(task.task_id);
          link.accept(task.task_id, task.generation);
        },
        onRefused: () => (refused += 1),
      });
      return link;
    };
    let link = newLink();
    const frames = strangeFrames(random, {
      task_id: 't1',
      generation: 1,
      action: 'abort',
      status: 'complete',
    });
    const before = heldBytes();
    for (let sent = 0; sent < FRAMES; sent += 1) {
      if (sent % 50 === 0) {
        // A hub may say that the token is wrong; that stops a link for good, and is believed.
        if (link.state === 'stopped') link = newLink();
        for (let i = 0; hub.sockets.size === 0; i += 1) {
          if (i > 1_000) throw new Error('the link does not come back');
          await clock.advance(5_000);
          await quiet(2);
        }
      }
      for (const socket of hub.sockets) socket.send(frames.next());
      if (sent % 10 === 9) {
        await clock.advance(500);
        await quiet(1);
      }
    }
    await link.stop();
    expect(heldBytes() - before).toBeLessThan(MAX_GROWTH_BYTES);
    tasks.clear();
    const last = newLink();
    cleanup.add(() => last.stop());
    await eventually(() => hub.sockets.size > 0, 'the connection');
    for (const socket of hub.sockets) {
      socket.send(JSON.stringify({ type: 'identified', agent_id: 'w' }));
      socket.send(JSON.stringify({ type: 'task_assign', task_id: 'sane', description: 'd', generation: 1 }));
    }
    await eventually(() => tasks.has('sane'), 'the assignment');
    await eventually(
      () => hub.heard.some((text) => text.includes('task_accepted') && text.includes('sane')),
      'the acceptance',
      () => clock.advance(1_000),
    );
    expect(refused).toBeLessThan(FRAMES);
  });
});

interface StrangeHub {
  url: string;
  sockets: Set<WebSocket>;
  /** The newest texts. */
  heard: string[];
  close(): Promise<void>;
}

async function strangeHub(): Promise<StrangeHub> {
  const server = createServer();
  const sockets = new Set<WebSocket>();
  const heard: string[] = [];
  new WebSocketServer({ server }).on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('message', (data: Buffer) => {
      heard.push(data.toString());
      if (heard.length > 1_000) heard.splice(0, 500);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`,
    sockets,
    heard,
    async close() {
      for (const socket of sockets) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
