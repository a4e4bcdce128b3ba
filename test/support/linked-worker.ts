/** A hub double, a link with a real outbox, and a clock that both share; all of them are gone after the test. */
import { afterEach } from '@jest/globals';
import { HubLink } from '../../sidecar/worker/hub-link/hub-link.ts';
import type { HubLinkHandlers, HubLinkOptions } from '../../sidecar/worker/hub-link/types.ts';
import type { Task } from '../../sidecar/base/protocol/task.ts';
import type { TerminalFrameInput } from '../../sidecar/base/protocol/worker-frames.ts';
import { createOutbox, type Outbox } from '../../sidecar/base/storage/outbox.ts';
import { openStateDatabase, type StateDatabase } from '../../sidecar/base/storage/state-database.ts';
import { HubDouble } from './hub-double.ts';
import { ManualClock } from './manual-clock.ts';
import { tempFolders } from './temp-folder.ts';
import { quiet, until } from './until.ts';

const open: LinkedWorker[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((worker) => worker.close()));
});
const folder = tempFolders();

export interface LinkedWorker {
  clock: ManualClock;
  hub: HubDouble;
  link: HubLink;
  outbox: Outbox;
  /** What the handlers were called with, and what results were settled with (`settled`), in order. */
  calls: { name: string; args: unknown[] }[];
  assigned: Task[];
  /** The arguments of each call of the handler `name`. */
  called(name: string): unknown[][];
  /** Has the hub give out a task; resolves once the hub knows that it is accepted. */
  take(taskId: string, payload?: object): Promise<void>;
  /** Breaks the connection; resolves once the link knows. */
  loseConnection(): Promise<void>;
  /** Moves both sides' time, a second at a time, with everything delivered in between. */
  advance(durationMs: number): Promise<void>;
  complete(taskId: string, generation: number, result?: object): void;
  fail(taskId: string, generation: number, error?: string): void;
  newLink(over?: Partial<HubLinkOptions>): HubLink;
  close(): Promise<void>;
}

/** Not connected yet. Accepts every assignment unless `handlers.onAssign` says otherwise. */
export async function linkedWorker(
  handlers: HubLinkHandlers = {},
  over: Partial<HubLinkOptions> = {},
): Promise<LinkedWorker> {
  const clock = new ManualClock();
  const hub = new HubDouble(clock);
  await hub.listen();
  const db: StateDatabase = await openStateDatabase(folder());
  const calls: LinkedWorker['calls'] = [];
  const outbox = notingOutbox(createOutbox(db), calls);
  const assigned: Task[] = [];
  const links: HubLink[] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push({ name, args });
  const newLink = (more: Partial<HubLinkOptions> = {}): HubLink => {
    const link = new HubLink({
      url: hub.url,
      identity: { workerId: 'worker-1', token: 'secret', capacity: 1 },
      outbox,
      clock,
      random: () => 0.5,
      ...over,
      ...more,
    });
    const noting: HubLinkHandlers = {
      ...Object.fromEntries(
        [
          'onContinue',
          'onDrop',
          'onSteer',
          'onRestart',
          'onDrain',
          'onRefused',
          'onConnected',
          'onDisconnected',
          'onStorageFailed',
        ].map((name) => [name, note(name)]),
      ),
      onAssign(task) {
        assigned.push(task);
        link.accept(task.task_id);
      },
      onInvalidAssign({ taskId, generation, reason }) {
        worker.fail(taskId, generation, `invalid_assignment: ${reason}`);
      },
      ...handlers,
    };
    const start = link.start.bind(link, noting);
    Object.assign(link, { start });
    links.push(link);
    return link;
  };
  const worker: LinkedWorker = {
    clock,
    hub,
    link: newLink(),
    outbox,
    calls,
    assigned,
    called: (name) => calls.filter((call) => call.name === name).map(({ args }) => args),
    async take(taskId, payload) {
      hub.submit(taskId, payload);
      await until(() => hub.agentState() === 'working', 'acceptance');
    },
    async loseConnection() {
      hub.dropConnections();
      await until(() => worker.link.state === 'waiting', 'the loss');
    },
    async advance(durationMs) {
      for (let left = durationMs; left > 0; left -= 1_000) {
        await clock.advance(Math.min(left, 1_000));
        await quiet();
      }
    },
    complete(taskId, generation, result = { status: 'success', output: 'done' }) {
      put({ type: 'task_complete', task_id: taskId, generation, result: result as Record<string, unknown> });
    },
    fail(taskId, generation, error = 'model_error after 1 iterations: x') {
      put({ type: 'task_failed', task_id: taskId, generation, error });
    },
    newLink,
    async close() {
      for (const link of links) await link.stop();
      await hub.kill();
      db.close();
    },
  };
  const put = (frame: TerminalFrameInput) => {
    outbox.enqueue(frame);
    for (const link of links) if (link.state !== 'stopped') link.flush();
  };
  open.push(worker);
  return worker;
}

/** Notes each settlement as a call of `settled` with the task and how it was settled. */
export function notingOutbox(outbox: Outbox, calls: LinkedWorker['calls']): Outbox {
  const settle: Outbox['settle'] = (id, settlement) => {
    const entry = outbox.listPending().find((waiting) => waiting.id === id);
    calls.push({ name: 'settled', args: [entry?.frame.task_id, settlement] });
    outbox.settle(id, settlement);
  };
  return new Proxy(outbox, { get: (target, key) => (key === 'settle' ? settle : Reflect.get(target, key)) });
}

/** The same, and the hub knows it. */
export async function connectedWorker(...args: Parameters<typeof linkedWorker>): Promise<LinkedWorker> {
  const worker = await linkedWorker(...args);
  await connect(worker);
  return worker;
}

/** Starts the link and waits until the hub knows it. */
export async function connect({ link }: LinkedWorker): Promise<void> {
  link.start();
  await until(() => link.state === 'ready', 'identified');
}
