/** A hub double, a link with a real outbox, and a clock that both share. */
import {
  createHubLink,
  type HubLink,
  type HubLinkHandlers,
  type HubLinkOptions,
} from '../../sidecar/hub-link/hub-link.ts';
import type { Task } from '../../sidecar/protocol/task.ts';
import type { TerminalFrameInput } from '../../sidecar/protocol/worker-frames.ts';
import { createOutbox, type Outbox } from '../../sidecar/storage/outbox.ts';
import { openStateDatabase, type StateDatabase } from '../../sidecar/storage/state-database.ts';
import { HubDouble } from './hub-double.ts';
import { ManualClock } from './manual-clock.ts';
import { quiet, until } from './until.ts';

export interface LinkedWorker {
  clock: ManualClock;
  hub: HubDouble;
  link: HubLink;
  outbox: Outbox;
  /** What the handlers were called with, in order. */
  calls: { name: string; args: unknown[] }[];
  assigned: Task[];
  /** Moves both sides' time, a second at a time, with everything delivered in between. */
  advance(durationMs: number): Promise<void>;
  complete(taskId: string, generation: number, result?: object): void;
  fail(taskId: string, generation: number, error?: string): void;
  newLink(over?: Partial<HubLinkOptions>): HubLink;
  close(): Promise<void>;
}

/** Accepts every assignment unless `handlers.onAssign` says otherwise. */
export async function linkedWorker(
  folder: string,
  handlers: HubLinkHandlers = {},
  over: Partial<HubLinkOptions> = {},
): Promise<LinkedWorker> {
  const clock = new ManualClock();
  const hub = new HubDouble(clock);
  await hub.listen();
  const db: StateDatabase = openStateDatabase(folder);
  const outbox = createOutbox(db, clock);
  const calls: LinkedWorker['calls'] = [];
  const assigned: Task[] = [];
  const links: HubLink[] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push({ name, args });
  const newLink = (more: Partial<HubLinkOptions> = {}): HubLink => {
    const link: HubLink = createHubLink({
      url: hub.url,
      identity: { agentId: 'worker-1', token: 'secret', capacity: 1 },
      outbox,
      clock,
      random: () => 0.5,
      ...over,
      ...more,
      handlers: {
        ...Object.fromEntries(
          [
            'onCancel',
            'onSteer',
            'onRestart',
            'onContinue',
            'onReassign',
            'onAbort',
            'onRefused',
            'onConnected',
            'onDisconnected',
            'onSettled',
            'onStorageFailed',
          ].map((name) => [name, note(name)]),
        ),
        onAssign(task) {
          assigned.push(task);
          link.accept(task.task_id);
        },
        ...handlers,
        ...more.handlers,
      },
    });
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
  return worker;
}

/** Starts the link and waits until the hub knows it. */
export async function connect({ link }: LinkedWorker): Promise<void> {
  link.start();
  await until(() => link.state === 'ready', 'identified');
}
