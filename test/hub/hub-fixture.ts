/** Hubs for tests: started on a free port, closed afterwards, with a small client of their API. */
import { afterEach } from '@jest/globals';
import { startHub } from '../../sidecar/hub/hub.ts';
import type { Hub, HubOptions } from '../../sidecar/hub/hub.ts';
import { SimulatedWorker } from './simulated-worker.ts';
import type { SimulatedWorkerOptions } from './simulated-worker.ts';

export type Json = ReturnType<typeof JSON.parse>;

export interface Answer {
  status: number;
  /** Parsed JSON; tests look into it freely. */
  body: Json;
  headers: Headers;
}

export class TestHub {
  readonly hub: Hub;
  readonly workers: SimulatedWorker[] = [];

  constructor(hub: Hub) {
    this.hub = hub;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.hub.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.hub.tokens.admin}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { status, headers: received } = response;
    const isJson = /json/u.test(received.get('content-type') ?? '');
    return { status, body: await (isJson ? response.json() : response.text()), headers: received };
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  async submit(fields: Record<string, unknown> = {}): Promise<string> {
    const { status, body } = await this.call('POST', '/api/tasks', {
      description: 'Fix the failing test',
      ...fields,
    });
    if (status !== 201) throw new Error(`submit: ${status} ${JSON.stringify(body)}`);
    return body.task_id as string;
  }

  async worker(options: Partial<SimulatedWorkerOptions> = {}): Promise<SimulatedWorker> {
    const agentId = options.agentId ?? 'worker-1';
    const token = options.token ?? (await this.hub.issueToken('worker', agentId));
    const worker = await SimulatedWorker.join(this.hub.wsUrl, { ...options, agentId, token });
    this.workers.push(worker);
    return worker;
  }

  /** A task that a worker has accepted. */
  async running(fields: Record<string, unknown> = {}, options: Partial<SimulatedWorkerOptions> = {}) {
    const worker = await this.worker(options);
    const id = await this.submit(fields);
    return { worker, id, assigned: await worker.accept() };
  }

  async close(): Promise<void> {
    for (const worker of this.workers) worker.socket.terminate();
    await this.hub.close();
  }
}

const open: TestHub[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((hub) => hub.close()));
});

/** A hub that is closed after the test. */
export async function testHub(options: HubOptions = {}): Promise<TestHub> {
  const hub = new TestHub(await startHub({ adminToken: 'admin-token', ...options }));
  open.push(hub);
  return hub;
}
