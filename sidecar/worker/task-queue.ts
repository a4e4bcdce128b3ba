/** Where tasks wait for their beginning. With `auto` the gate decides how many are in work. */
import PQueue, { type Queue } from 'p-queue';
import type { Config } from '../config/schema.ts';
import { routeFor } from '../executors/routing.ts';
import type { Gate } from '../model/gate.ts';
import type { Clock } from '../ports.ts';
import type { ActiveTask, ActiveTasks } from './active-tasks.ts';
import { admitByDemand, mostTasks } from './admission.ts';
import { taskOrder, type TaskOrderOptions } from './task-order.ts';
import type { TaskRunner } from './task-runner.ts';

export interface TaskQueueOptions {
  config: Config;
  clock: Clock;
  gate: Gate;
  active: ActiveTasks;
  runner: Pick<TaskRunner, 'run' | 'emitQueued'>;
}

export class TaskQueue {
  readonly #runner: TaskQueueOptions['runner'];
  readonly #queue: PQueue<Queue<() => Promise<unknown>, TaskOrderOptions>, TaskOrderOptions>;

  constructor({ config, clock, gate, active, runner }: TaskQueueOptions) {
    this.#runner = runner;
    const most = mostTasks(config);
    const isAuto = config.worker.concurrency === 'auto';
    const queue = new PQueue({
      concurrency: isAuto ? 1 : most,
      queueClass: taskOrder({
        clock,
        maxPassedOverMs: config.worker.maxPassedOverMs,
        wouldSwap: (model = config.model.default) => model !== undefined && gate.wouldSwap(model),
      }),
    });
    this.#queue = queue;
    if (!isAuto) return;
    const running = () =>
      active
        .all()
        .filter(({ state }) => state === 'running')
        .map(({ task }) => ({ id: task.task_id, asksModel: routeFor(task, config).kind !== 'shell' }));
    const fits = (model = config.model.default) => model === undefined || gate.isLoadedAnywhere(model);
    const hasFitting = () =>
      active.all().some((one) => one.state === 'queued' && fits(one.task.routing_decision?.selected_model));
    const adjust = admitByDemand({ queue, gate, most, running, hasFitting, clock });
    for (const event of ['add', 'active', 'next'] as const) queue.on(event, adjust);
  }

  /**
   * Runs a task in its turn; one that is cancelled before ends at once. Rejects with `StorageError`. Never settles for a
   * task that a drain found waiting: it stays in the journal for the next start.
   */
  run(active: ActiveTask): Promise<void> {
    const model = active.task.routing_decision?.selected_model;
    const { control } = active;
    return new Promise((resolve, reject) => {
      const stopEmitting = this.#runner.emitQueued(active);
      let hasBegun = false;
      const begin = async (): Promise<void> => {
        if (hasBegun) return;
        hasBegun = true;
        stopEmitting();
        await this.#runner.run(active).then(resolve, reject);
      };
      const onAbort = () => (control.stopReason === 'cancelled' ? begin() : undefined);
      control.signal.addEventListener('abort', () => void onAbort(), { once: true });
      void this.#queue.add(begin, model === undefined ? {} : { model });
    });
  }

  pause(): void {
    this.#queue.pause();
  }

  /** Resolves when nothing runs; tasks that have not begun stay in the journal for the next start. */
  idle(): Promise<void> {
    this.#queue.clear();
    return this.#queue.onIdle();
  }
}
