/**
 * Two replicas in processes of their own behind one address, and real links of workers: one replica is killed without
 * warning.
 */
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { CleanupStack } from '../../sidecar/base/system/cleanup-stack.ts';
import { HubLink } from '../../sidecar/worker/hub-link/hub-link.ts';
import { createOutbox } from '../../sidecar/base/storage/outbox.ts';
import { openStateDatabase, type StateDatabase } from '../../sidecar/base/storage/state-database.ts';
import { eventually } from '../support/eventually.ts';
import { postgresDatabases } from '../support/postgres-databases.ts';
import { describeWith } from '../support/requirements.ts';
import { tempFolders } from '../support/temp-folder.ts';
import type { Json } from './hub-fixture.ts';
import { startHubProcess, type HubProcess } from './hub-process.ts';
import { finishedResult } from './simulated-worker.ts';
import { readStream } from './stream-reader.ts';

const admin = 'admin-token';
/** The replicas need the processor that a waiting test would use up. */
const breathe = () => new Promise<void>((resolve) => setTimeout(resolve, 20));

async function call({ url }: HubProcess, path: string, body?: object): Promise<Json> {
  const response = await fetch(url + path, {
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}

/** One address for both: each connection goes to the first replica that takes it. */
async function balancer(ports: readonly number[]): Promise<Server> {
  const server = createServer((client) => {
    const tryFrom = (index: number): void => {
      const port = ports[index];
      if (port === undefined) {
        client.destroy();
        return;
      }
      const upstream = connect(port, '127.0.0.1');
      const refused = () => tryFrom(index + 1);
      upstream.once('error', refused);
      upstream.once('connect', () => {
        upstream.off('error', refused).on('error', () => client.destroy());
        upstream.on('close', () => client.destroy());
        client.on('close', () => upstream.destroy());
        client.pipe(upstream).pipe(client);
      });
    };
    client.on('error', () => client.destroy());
    tryFrom(0);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

/** A worker with a real link and outbox: it holds its tasks until it is let go, then completes what it has and gets. */
class HoldingWorker {
  /** Every task that was begun here, once for each beginning. */
  readonly begun: string[] = [];
  connections = 0;
  readonly link: HubLink;
  readonly #outbox: ReturnType<typeof createOutbox>;
  readonly #held = new Map<string, number>();
  #mayEnd = false;

  constructor(options: {
    url: string;
    agentId: string;
    token: string;
    db: StateDatabase;
    cleanup: CleanupStack;
  }) {
    const { url, agentId, token, db, cleanup } = options;
    cleanup.add(() => db.close());
    this.#outbox = createOutbox(db);
    this.link = new HubLink({
      url,
      identity: { workerId: agentId, token, capacity: 2 },
      outbox: this.#outbox,
    });
    cleanup.add(() => this.link.stop());
    this.link.start({
      onConnected: () => void (this.connections += 1),
      onAssign: ({ task_id: taskId, generation }) => {
        if (!this.#held.has(taskId)) this.begun.push(taskId);
        this.#held.set(taskId, generation);
        this.link.accept(taskId);
        this.#say(taskId, 'begun');
        if (this.#mayEnd) this.#end(taskId, generation);
      },
      onDrop: (taskId) => void this.#held.delete(taskId),
    });
  }

  letGo(): void {
    this.#mayEnd = true;
    for (const [taskId, generation] of this.#held) this.#end(taskId, generation);
  }

  #end(taskId: string, generation: number): void {
    this.#say(taskId, 'ending');
    this.#held.delete(taskId);
    this.#outbox.enqueue({ type: 'task_complete', task_id: taskId, generation, result: finishedResult });
    this.link.flush();
  }

  #say(taskId: string, text: string): void {
    this.link.sendProgress(taskId, { event_type: 'status', text });
  }
}

describeWith('postgresql', 'a replica that is killed', () => {
  const folder = tempFolders();
  const newDatabase = postgresDatabases();
  const cleanup = new CleanupStack();
  afterEach(() => cleanup.close());

  test('hands its workers to the other one: no task is lost or done twice, and a stream there sees it all', async () => {
    const database = await newDatabase();
    const one = await startHubProcess(database);
    const other = await startHubProcess(database);
    const front = await balancer([one.port, other.port]);
    cleanup.add(() => void front.close());
    const url = `ws://127.0.0.1:${(front.address() as AddressInfo).port}/ws`;
    const workers: HoldingWorker[] = [];
    for (const agentId of ['a', 'b', 'c']) {
      const { token } = await call(one, '/api/tokens', { role: 'worker', agent_id: agentId });
      const db = await openStateDatabase(folder());
      workers.push(new HoldingWorker({ url, agentId, token, db, cleanup }));
    }
    await eventually(
      () => workers.every(({ connections }) => connections === 1),
      'all are connected',
      breathe,
    );
    const stream = readStream({ hub: { url: other.url, tokens: { admin } } }, '/api/events?after=0');
    cleanup.add(() => stream.close());
    const seen = (what: string) =>
      stream.events.filter(({ body }) => body.reason === what || body.text === what);
    const ids: string[] = [];
    for (let count = 0; count < 9; count += 1) {
      ids.push((await call(other, '/api/tasks', { description: 'survive' })).task_id);
    }
    await eventually(() => seen('begun').length === 6, 'two tasks run on each worker', breathe);

    await one.kill();
    await eventually(() => workers.every(({ connections }) => connections === 2), 'all are back', breathe);
    for (const worker of workers) worker.letGo();
    await eventually(() => seen('completed').length === 9, 'everything is done', breathe);

    expect(workers.flatMap(({ begun }) => begun).sort()).toEqual([...ids].sort());
    expect(seen('ending')).toHaveLength(9);
    expect(new Set(seen('completed').map(({ task_id: id }) => id))).toEqual(new Set(ids));
    expect((await call(other, '/api/stats')).tasks).toMatchObject({ success: 9, queued: 0, running: 0 });
    const order = stream.events.map(({ id }) => id);
    expect(order).toEqual([...new Set(order)].sort((a, b) => a - b));
  });
});
