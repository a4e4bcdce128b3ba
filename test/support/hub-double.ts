/**
 * The public hub by its source and as it was observed, over a real socket and on an injected clock: its validation, its
 * buckets, its states of an agent, its refusals without a task id, its assignments to the older of two sockets, its sweeps,
 * its API. It has no features; a test that wants some sets `features`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Clock } from '../../sidecar/base/ports.ts';
import type { ExecutionEvent } from '../../sidecar/base/protocol/events.ts';
import { HubDoubleBuckets } from './hub-double-buckets.ts';
import { validate } from './hub-double-validation.ts';

export interface Received {
  type: string;
  task_id?: string;
  agent_id?: string;
  token?: string;
  generation?: number;
  error?: string;
  action?: string;
  result?: unknown;
  execution_event?: ExecutionEvent;
  [field: string]: unknown;
}
interface HubTask {
  id: string;
  status: 'queued' | 'assigned' | 'completed' | 'dead_letter';
  generation: number;
  assignedTo?: string;
  retries: number;
  createdAtMs: number;
  updatedAtMs: number;
  assignedAtMs?: number;
  /** The agents that it was assigned to. */
  offered: string[];
  error?: string;
  payload: object;
  result?: unknown;
}
/** The process of an agent, which belongs to its newest line. */
interface Agent {
  id: string;
  socket: Session;
  state: 'idle' | 'assigned' | 'working';
  taskId?: string;
  cancelAcceptance: () => void;
}
interface Session {
  socket: WebSocket;
  agentId?: string;
  violations: number;
  windowStartMs: number;
  cancelSilence: () => void;
  /** The network is gone and the hub has not noticed. */
  isHalfOpen: boolean;
}

const SILENCE_MS = 60_000;
const SWEEP_MS = 30_000;
const STUCK_MS = 600_000;
const TASK_LIFE_MS = 600_000;

/** A task as the API shows it. */
const shownTask = (task: HubTask): Record<string, unknown> => ({
  description: '',
  metadata: {},
  ...task.payload,
  id: task.id,
  status: task.status,
  generation: task.generation,
  retry_count: task.retries,
  assigned_to: task.assignedTo ?? null,
  assigned_at: task.assignedAtMs ?? null,
  created_at: task.createdAtMs,
  updated_at: task.updatedAtMs,
  history: task.offered.map((agent) => ({ event: 'assigned', details: { agent_id: agent } })),
});

export class HubDouble {
  readonly tokens = new Map<string, string>([['secret', 'worker-1']]);
  /** Without the messages by which a worker finds out which of its lines is registered. */
  readonly received: Received[] = [];
  /** Without the answers to those. */
  readonly sent: Received[] = [];
  /** Close codes that sockets ended with, as this side gave or saw them. */
  readonly closes: { code: number; reason: string }[] = [];
  readonly tasks = new Map<string, HubTask>();
  features: object | undefined;
  /** Answers nothing while set: a hub that hangs. */
  mute = false;
  /** Types of frames that are lost on their way. */
  readonly lose = new Set<string>();
  refuseWith: string | undefined;
  /** Answers no request of its API. */
  hasApi = true;
  /** So many more tasks this hub gives to a worker along with each one, as it does where two assignments meet. */
  racing = 0;
  readonly #clock: Clock;
  #server: Server | undefined;
  #port = 0;
  #sessions: Session[] = [];
  readonly #agents = new Map<string, Agent>();
  /** The line of an agent that was there first: tasks and messages go to it. */
  readonly #registered = new Map<string, Session>();
  readonly #buckets: HubDoubleBuckets;
  readonly #unresponsive = new Set<string>();
  /** When an agent that is shown as present pinged last. */
  readonly #seen = new Map<string, number>();
  #cancelSweep: () => void = () => undefined;
  readonly #disconnects = new Map<string, { count: number; atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#buckets = new HubDoubleBuckets(clock);
  }

  /** Every 30 s: assigned tasks that nobody touches, waiting ones that are too old, agents that send no ping. */
  #sweep(): void {
    const nowMs = this.#clock.now();
    for (const task of this.tasks.values()) {
      const isWorking = this.#agents.get(task.assignedTo ?? '')?.state === 'working';
      if (task.status === 'assigned' && nowMs - task.updatedAtMs > (isWorking ? 2 : 1) * STUCK_MS)
        this.#reclaim(task);
      if (task.status === 'queued' && nowMs - task.createdAtMs > TASK_LIFE_MS)
        Object.assign(task, { status: 'dead_letter', error: 'ttl_expired' });
    }
    for (const [id, seenAtMs] of this.#seen) {
      const registered = this.#registered.get(id);
      // The process of the line is told to end, handles that like any message, and lives on.
      if (nowMs - seenAtMs > SILENCE_MS && registered) this.#watchSilence(registered);
    }
    this.#schedule();
    this.#cancelSweep = this.#clock.schedule(SWEEP_MS, () => this.#sweep());
  }

  #answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://hub');
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (!this.hasApi) return void send(404, { error: 'not_found' });
    const isKnown = this.tokens.has(headers.authorization?.replace('Bearer ', '') ?? '');
    if (!isKnown) return void send(401, { error: 'unauthorized' });
    if (pathname === '/api/agents/states') {
      const agents = [...this.#agents.values()].map(({ id, state }) => ({ agent_id: id, fsm_state: state }));
      return void send(200, { agents });
    }
    const tasks = [...this.tasks.values()].map(shownTask);
    if (pathname === '/api/tasks') {
      const isWanted = (task: Record<string, unknown>) =>
        [...searchParams].every(([name, value]) => task[name] === value);
      return void send(200, { tasks: tasks.filter(isWanted) });
    }
    const one = tasks.find(({ id }) => id === pathname.slice('/api/tasks/'.length));
    return void send(one ? 200 : 404, one ?? { error: 'task_not_found' });
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}/ws`;
  }

  get connections(): number {
    return this.#sessions.filter(({ agentId }) => agentId !== undefined).length;
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => this.#answer(request, response));
    this.#cancelSweep = this.#clock.schedule(SWEEP_MS, () => this.#sweep());
    new WebSocketServer({ server, path: '/ws' }).on('connection', (socket) => this.#connected(socket));
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** The process is killed: sockets break, what is stored stays as it is, agents' states are gone. */
  async kill(): Promise<void> {
    this.#cancelSweep();
    this.#seen.clear();
    const sessions = this.#sessions.splice(0);
    for (const agent of this.#agents.values()) agent.cancelAcceptance();
    this.#agents.clear();
    this.#registered.clear();
    this.#buckets.clear();
    for (const { socket, cancelSilence } of sessions) {
      cancelSilence();
      socket.terminate();
    }
    const server = this.#server;
    this.#server = undefined;
    if (server) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  /** The network breaks; the hub sees it and takes its tasks back. */
  dropConnections(): void {
    for (const { socket } of this.#sessions) socket.terminate();
  }

  /** The network breaks and the hub does not see it: it finds out by a minute of silence. */
  loseSilently(): void {
    for (const session of this.#sessions) {
      session.isHalfOpen = true;
      session.socket.terminate();
    }
  }

  /** The network swallows everything, both ways: neither side sees it. Of all agents, or of one. */
  cut(agentId?: string): void {
    for (const session of this.#sessions) {
      if (agentId !== undefined && session.agentId !== agentId) continue;
      session.isHalfOpen = true;
      session.socket.pause();
    }
  }

  closeConnections(code: number, reason: string): void {
    for (const { socket } of this.#sessions) socket.close(code, reason);
  }

  submit(id: string, payload: object = {}): void {
    this.tasks.set(id, {
      id,
      status: 'queued',
      generation: 0,
      retries: 0,
      createdAtMs: this.#clock.now(),
      updatedAtMs: this.#clock.now(),
      offered: [],
      payload,
    });
    this.#schedule();
  }

  /** A task that `assignedTo` was given before this hub was started. */
  remember(id: string, assignedTo: string, generation: number): void {
    const nowMs = this.#clock.now();
    const fresh = { retries: 0, createdAtMs: nowMs, updatedAtMs: nowMs, offered: [assignedTo], payload: {} };
    this.tasks.set(id, { id, status: 'assigned', assignedTo, generation, ...fresh });
  }

  push(frame: Received): void {
    for (const session of this.#sessions) this.#send(session, frame);
  }

  pushText(text: string | Buffer): void {
    for (const { socket } of this.#sessions) socket.send(text);
  }

  framesOf(type: string): Received[] {
    return this.received.filter((frame) => frame.type === type);
  }

  agentState(id = 'worker-1'): string | undefined {
    return this.#agents.get(id)?.state;
  }

  /** Empties the agent's bucket, as an earlier life of the worker may have. */
  drainBucket(agentId = 'worker-1', left = 0): void {
    this.#buckets.drain(agentId, left);
  }

  #connected(socket: WebSocket): void {
    const session: Session = {
      socket,
      violations: 0,
      windowStartMs: 0,
      cancelSilence: () => undefined,
      isHalfOpen: false,
    };
    this.#sessions.push(session);
    this.#watchSilence(session);
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) {
        socket.close(1011);
        return;
      }
      if (session.isHalfOpen) return;
      this.#watchSilence(session);
      this.#read(session, data.toString());
    });
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      this.closes.push({ code, reason: reason.toString() });
      if (!session.isHalfOpen) this.#gone(session);
    });
  }

  #watchSilence(session: Session): void {
    session.cancelSilence();
    session.cancelSilence = this.#clock.schedule(SILENCE_MS, () => {
      if (session.isHalfOpen) this.#gone(session);
      else session.socket.close(1002);
    });
  }

  #gone(session: Session): void {
    if (!this.#sessions.includes(session)) return;
    session.cancelSilence();
    if (session.isHalfOpen) session.socket.terminate();
    this.#sessions = this.#sessions.filter((one) => one !== session);
    const { agentId } = session;
    if (agentId === undefined) return;
    if (this.#registered.get(agentId) === session) this.#registered.delete(agentId);
    // By its name: also where a newer connection of the same agent is there.
    this.#seen.delete(agentId);
    this.#broadcast({ type: 'agent_left', agent_id: agentId });
    const agent = this.#agents.get(agentId);
    if (agent?.socket !== session) return;
    agent.cancelAcceptance();
    this.#agents.delete(agentId);
    // One of several; the others stay assigned.
    const task = this.tasks.get(agent.taskId ?? '');
    if (task) this.#reclaim(task);
    this.#schedule();
  }

  /** Reaches the process of every line of an agent, those without a peer included; `undefined` is not passed on to it. */
  #broadcast(frame: Received | undefined, except?: string): void {
    for (const session of this.#sessions) {
      if (session.agentId === undefined) continue;
      if (frame && session.agentId !== except) this.#send(session, frame);
      else this.#watchSilence(session);
    }
  }

  #read(session: Session, text: string): void {
    let frame: Received;
    try {
      frame = JSON.parse(text);
    } catch {
      this.#error(session, 'invalid_json');
      return;
    }
    if (frame.type !== 'message') this.received.push(frame);
    if (this.mute || this.lose.has(frame.type)) return;
    const errors = validate(frame);
    if (errors.length > 0) {
      this.#violated(session, frame, errors);
      return;
    }
    if (session.agentId === undefined) {
      if (frame.type === 'identify') this.#identify(session, frame);
      else this.#error(session, 'not_identified');
      return;
    }
    if (this.#allowed(session, session.agentId, frame.type)) this.#handle(session, session.agentId, frame);
  }

  #violated(session: Session, frame: Received, errors: object[]): void {
    const nowMs = this.#clock.now();
    if (nowMs - session.windowStartMs > 60_000) {
      session.windowStartMs = nowMs;
      session.violations = 0;
    }
    session.violations += 1;
    if (session.violations >= 10) {
      if (session.agentId !== undefined) {
        const before = this.#disconnects.get(session.agentId)?.count ?? 0;
        this.#disconnects.set(session.agentId, { count: before + 1, atMs: nowMs });
      }
      session.socket.close(1008, 'too many validation errors');
      return;
    }
    this.#send(session, {
      type: 'error',
      error: 'validation_failed',
      message_type: frame.type ?? 'unknown',
      errors,
    });
  }

  #identify(session: Session, frame: Received): void {
    const { agent_id: claimed = '', token = '' } = frame;
    const past = this.#disconnects.get(claimed);
    const cooldownMs = past ? ([0, 30_000, 60_000][past.count] ?? 300_000) : 0;
    const elapsedMs = this.#clock.now() - (past?.atMs ?? 0);
    if (past && elapsedMs < cooldownMs) {
      const seconds = Math.floor((cooldownMs - elapsedMs) / 1000) + 1;
      session.socket.close(1008, `cooldown active: retry in ${seconds}s`);
      return;
    }
    const owner = this.tokens.get(token);
    if (owner === undefined) {
      this.#error(session, 'invalid_token');
      return;
    }
    if (owner !== claimed) {
      this.#error(session, 'token_agent_mismatch');
      return;
    }
    session.agentId = owner;
    if (!this.#registered.has(owner)) this.#registered.set(owner, session);
    this.#agents.get(owner)?.cancelAcceptance();
    const agent: Agent = { id: owner, socket: session, state: 'idle', cancelAcceptance: () => undefined };
    this.#agents.set(owner, agent);
    const assigned = [...this.tasks.values()].find(
      (task) => task.status === 'assigned' && task.assignedTo === owner,
    );
    this.#send(session, {
      type: 'identified',
      agent_id: owner,
      ...(this.features && { features: this.features }),
    });
    this.#seen.set(owner, this.#clock.now());
    this.#broadcast({ type: 'agent_joined', agent: { agent_id: owner } }, owner);
    if (assigned) this.#setAssigned(agent, assigned);
    this.#schedule();
  }

  #allowed(session: Session, agentId: string, type: string): boolean {
    const { allowed, notice } = this.#buckets.take(agentId, type);
    if (notice) this.#send(session, notice);
    return allowed;
  }

  #handle(session: Session, agentId: string, frame: Received): void {
    const task = this.tasks.get(frame.task_id ?? '');
    const agent = this.#agents.get(agentId);
    switch (frame.type) {
      case 'ping':
        if (this.#seen.has(agentId)) this.#seen.set(agentId, this.#clock.now());
        this.#send(session, { type: 'pong', timestamp: this.#clock.now() });
        return;
      case 'identify':
        return this.#identify(session, frame);
      case 'message': {
        this.#send(session, { type: 'message_sent', id: 'm' });
        const to = this.#registered.get(String(frame.to));
        if (to) this.#send(to, { type: 'message', from: agentId, payload: frame.payload });
        return;
      }
      case 'task_accepted':
        // The real one's clock does not stand still.
        if (task) task.updatedAtMs = Math.max(this.#clock.now(), (task.assignedAtMs ?? 0) + 1);
        if (agent?.state === 'assigned' && agent.taskId === frame.task_id) {
          agent.cancelAcceptance();
          agent.state = 'working';
        }
        this.#send(session, { type: 'task_ack', task_id: frame.task_id, status: 'accepted' });
        return;
      case 'task_progress':
        if (task) task.updatedAtMs = this.#clock.now();
        return;
      case 'task_complete':
        this.#finish(session, agent, frame, 'task_complete_failed');
        return;
      case 'task_failed':
        this.#finish(session, agent, frame, 'task_fail_failed');
        return;
      case 'task_recovering':
        this.#send(
          session,
          task?.status === 'assigned'
            ? { type: 'task_continue', task_id: task.id, generation: task.generation }
            : { type: 'task_reassign', task_id: frame.task_id },
        );
        return;
      case 'state_report': {
        const has =
          task?.status === 'assigned' && task.assignedTo === agentId && task.generation === frame.generation;
        this.#send(session, {
          type: 'state_report_ack',
          task_id: frame.task_id,
          action: has ? 'continue' : 'abort',
        });
      }
    }
  }

  #finish(session: Session, agent: Agent | undefined, frame: Received, refusal: string): void {
    const task = this.tasks.get(frame.task_id ?? '');
    const reason =
      this.refuseWith ??
      (!task
        ? 'not_found'
        : task.status !== 'assigned'
          ? 'invalid_state'
          : task.generation !== frame.generation
            ? 'stale_generation'
            : undefined);
    if (reason || !task) {
      this.#error(session, `${refusal}: ${reason}`);
      return;
    }
    task.updatedAtMs = this.#clock.now();
    if (frame.type === 'task_complete') {
      task.status = 'completed';
      task.result = frame.result;
    } else {
      task.retries += 1;
      task.status = task.retries >= 3 ? 'dead_letter' : 'queued';
      task.error = frame.error ?? 'unknown';
      if (task.status === 'queued') task.generation += 1;
    }
    delete task.assignedTo;
    const status =
      frame.type === 'task_complete' ? 'complete' : task.status === 'queued' ? 'retried' : 'dead_letter';
    this.#send(session, { type: 'task_ack', task_id: task.id, status });
    // Only a working agent becomes idle again; one that had not accepted stays where it is.
    if (agent?.state === 'working') {
      agent.state = 'idle';
      delete agent.taskId;
      this.#broadcast(undefined);
    }
    this.#schedule();
  }

  #schedule(): void {
    const nowMs = this.#clock.now();
    for (const agent of this.#agents.values()) {
      if (agent.state !== 'idle' || this.#buckets.isPunished(agent.id)) continue;
      const [task, ...raced] = [...this.tasks.values()]
        .filter(({ status, payload }) => status === 'queued' && this.#isFor(agent.id, payload))
        .slice(0, 1 + this.racing);
      if (!task) continue;
      // The line's process passes it on; without one the agent's process does not hear of it.
      if (this.#registered.has(agent.id)) this.#setAssigned(agent, task);
      for (const one of [task, ...raced]) {
        const given = { assignedTo: agent.id, assignedAtMs: nowMs, updatedAtMs: nowMs };
        Object.assign(one, { status: 'assigned', ...given });
        one.generation += 1;
        one.offered.push(agent.id);
        this.#sendAssignment(agent, one);
      }
    }
  }

  #isFor(agentId: string, payload: object): boolean {
    return ((payload as { for?: string }).for ?? agentId) === agentId;
  }

  /** Whether the hub took a task back because nobody accepted it. */
  isUnresponsive(id = 'worker-1'): boolean {
    return this.#unresponsive.has(id);
  }

  /** Pushed to the socket that registered first. */
  #sendAssignment(agent: Agent, task: HubTask): void {
    const registered = this.#registered.get(agent.id);
    if (!registered) return;
    this.#send(registered, {
      type: 'task_assign',
      task_id: task.id,
      description: '',
      metadata: {},
      generation: task.generation,
      assigned_at: this.#clock.now(),
      repo: null,
      branch: null,
      file_hints: [],
      success_criteria: [],
      verification_steps: [],
      complexity: null,
      ...task.payload,
    });
  }

  #setAssigned(agent: Agent, task: HubTask): void {
    agent.state = 'assigned';
    agent.taskId = task.id;
    agent.cancelAcceptance();
    agent.cancelAcceptance = this.#clock.schedule(60_000, () => {
      this.#reclaim(task);
      this.#unresponsive.add(agent.id);
      agent.state = 'idle';
      delete agent.taskId;
      this.#schedule();
    });
  }

  #reclaim(task: HubTask): void {
    if (task.status !== 'assigned') return;
    task.status = 'queued';
    task.generation += 1;
    task.updatedAtMs = this.#clock.now();
    delete task.assignedTo;
  }

  #error(session: Session, error: string): void {
    this.#send(session, { type: 'error', error });
  }

  #send(session: Session, frame: Received): void {
    if (!frame.type.startsWith('message')) this.sent.push(frame);
    // Whatever is on a line prolongs its minute, also where it reaches nobody.
    this.#watchSilence(session);
    if (!session.isHalfOpen) session.socket.send(JSON.stringify(frame));
  }
}
