/** Queues tasks until they begin. `task-order.ts` decides which one begins, and when. */
import type { Config } from '../base/config/schema.ts';
import { chooseRoute } from '../solving/ways/routing.ts';
import type { Scheduler } from '../model/servers/scheduler.ts';
import type { Clock } from '../base/ports.ts';
import type { ActiveTask, ActiveTasks } from './active-tasks.ts';
import { computeMaxTasks, createOrderedQueue, type WaitingTasks } from './task-order.ts';
import type { TaskRunner } from './task-runner.ts';

export interface WorkerTaskQueueOptions {
  config: Config;
  clock: Clock;
  scheduler: Scheduler;
  active: ActiveTasks;
  runner: Pick<TaskRunner, 'run' | 'emitQueued'>;
}

export class WorkerTaskQueue {
  readonly #runner: WorkerTaskQueueOptions['runner'];
  readonly #queue: WaitingTasks;

  constructor({ config, clock, scheduler, active, runner }: WorkerTaskQueueOptions) {
    this.#runner = runner;
    this.#queue = createOrderedQueue({
      maxTasks: computeMaxTasks(config),
      isAuto: config.worker.concurrency === 'auto',
      maxPassedOverMs: config.worker.maxPassedOverMs,
      defaultModel: config.model.default,
      scheduler,
      listRunning: () =>
        active
          .list()
          .filter(({ state }) => state === 'running')
          .map(({ task }) => ({ id: task.task_id, usesModel: chooseRoute(task, config).kind !== 'shell' })),
      clock,
    });
  }

  /**
   * Runs a task in its turn; a task that is cancelled before its turn ends at once. Rejects with `StorageError`. Never
   * settles for a task that waits during a drain: such a task stays in the database for the next start.
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

  /** Resolves when nothing runs; tasks that have not begun stay in the database for the next start. */
  waitUntilIdle(): Promise<void> {
    this.#queue.clear();
    return this.#queue.onIdle();
  }
}
