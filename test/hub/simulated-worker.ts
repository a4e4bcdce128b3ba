/** A worker as the hub sees one: a real WebSocket that says what a test wants, and remembers what it hears. */
import { WebSocket } from 'ws';

export type Heard = Record<string, unknown> & { type: string };

export interface SimulatedWorkerOptions {
  agentId?: string;
  token: string;
  /** Left out with `plain`: like the public hub's own sidecars. */
  plain?: boolean;
  capacity?: number;
  models?: string[];
  labels?: string[];
  origin?: string;
}

export class SimulatedWorker {
  readonly heard: Heard[] = [];
  readonly socket: WebSocket;
  closed: { code: number; reason: string } | undefined;
  #waiters: { wants: (frame: Heard) => boolean; resolve: (frame: Heard) => void }[] = [];
  readonly #read = new Set<Heard>();
  readonly #onClosed: Promise<{ code: number; reason: string }>;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.#hear(JSON.parse((data as Buffer).toString()) as Heard));
    socket.on('error', () => undefined);
    this.#onClosed = new Promise((resolve) =>
      socket.on('close', (code, reason) => resolve((this.closed = { code, reason: String(reason) }))),
    );
  }

  /** Connects without a word. */
  static async connect(url: string, origin?: string): Promise<SimulatedWorker> {
    const socket = new WebSocket(url, origin === undefined ? {} : { origin });
    const worker = new SimulatedWorker(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('error', reject);
    });
    return worker;
  }

  /** Connects and identifies. */
  static async join(url: string, options: SimulatedWorkerOptions): Promise<SimulatedWorker> {
    const worker = await SimulatedWorker.connect(url, options.origin);
    worker.identify(options);
    await worker.next('identified');
    return worker;
  }

  identify({
    agentId = 'worker-1',
    token,
    plain,
    capacity = 1,
    models,
    labels = [],
  }: SimulatedWorkerOptions): void {
    this.say('identify', {
      agent_id: agentId,
      token,
      client_type: 'sidecar',
      capabilities: labels,
      ...(!plain && { capacity, models: models ?? [], version: '0.1.0', sandbox: 'bubblewrap' }),
    });
  }

  say(type: string, fields: Record<string, unknown> = {}): void {
    this.socket.send(JSON.stringify({ type, protocol_version: 1, ...fields }));
  }

  /** The first frame of this type that no earlier call gave. */
  next(type: string, about: Record<string, unknown> = {}): Promise<Heard> {
    const wants = (frame: Heard) =>
      frame.type === type && Object.entries(about).every(([key, value]) => frame[key] === value);
    const known = this.heard.find((frame) => !this.#read.has(frame) && wants(frame));
    if (known) {
      this.#read.add(known);
      return Promise.resolve(known);
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`no ${type} came; heard: ${JSON.stringify(this.heard.slice(-10))}`)),
        40_000,
      );
      this.#waiters.push({
        wants,
        resolve: (frame) => {
          clearTimeout(timer);
          this.#read.add(frame);
          resolve(frame);
        },
      });
    });
  }

  /** Every frame of these types so far, in order. */
  types(): string[] {
    return this.heard.map(({ type }) => type);
  }

  async accept(): Promise<Heard> {
    const assigned = await this.next('task_assign');
    this.say('task_accepted', { task_id: assigned.task_id });
    await this.next('task_ack', { task_id: assigned.task_id });
    return assigned;
  }

  event(taskId: unknown, event: Record<string, unknown>): void {
    this.say('task_progress', { task_id: taskId, execution_event: event });
  }

  complete(assigned: Heard, result: Record<string, unknown> = {}): void {
    this.say('task_complete', {
      task_id: assigned.task_id,
      generation: assigned.generation,
      result: { ...finishedResult, ...result },
    });
  }

  /** Completes the task and waits until the hub has taken the result. */
  async finish(assigned: Heard, result: Record<string, unknown> = {}): Promise<void> {
    this.complete(assigned, result);
    await this.next('task_ack', { task_id: assigned.task_id, status: 'complete' });
  }

  fail({ task_id, generation }: Heard, error: string, fields: object = {}): void {
    this.say('task_failed', { task_id, generation, error, ...fields });
  }

  /** Waits until the hub has read what was said before. */
  async ping(): Promise<void> {
    this.say('ping');
    await this.next('pong');
  }

  /** Accepts and completes every task from now on; `onDone` hears of each that the hub has acknowledged. */
  finishAll(onDone: (taskId: unknown) => void): void {
    const act = (frame: Heard): void => {
      if (frame.type === 'task_assign') {
        this.say('task_accepted', { task_id: frame.task_id });
        this.complete(frame);
      }
      if (frame.type === 'task_ack' && frame.status === 'complete') onDone(frame.task_id);
    };
    this.heard.forEach(act);
    this.socket.on('message', (data) => act(JSON.parse((data as Buffer).toString()) as Heard));
  }

  whenClosed(): Promise<{ code: number; reason: string }> {
    return this.#onClosed;
  }

  async leave(): Promise<void> {
    this.socket.terminate();
    await this.#onClosed;
  }

  #hear(frame: Heard): void {
    this.heard.push(frame);
    const waiter = this.#waiters.find(({ wants }) => wants(frame));
    if (!waiter) return;
    this.#waiters = this.#waiters.filter((one) => one !== waiter);
    waiter.resolve(frame);
  }
}

export const finishedResult = {
  status: 'success',
  output: 'Done.',
  model_used: 'qwen3:8b',
  tokens_in: 1200,
  tokens_out: 340,
  estimated_cost_usd: 0.0021,
  execution_ms: 5400,
  termination_reason: 'final_answer',
  iterations_used: 3,
  verification_status: 'verified',
  verification_attempts: 1,
  changes: { base_commit: 'a'.repeat(40), files: [], patch: '' },
  completed: ['npm test'],
  remaining: [],
};
