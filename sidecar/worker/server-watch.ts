/**
 * Model servers that are down, beyond waiting for them: an idle worker looks whether its servers are up, so that its hub gives
 * it nothing that would only wait; a task that is on hold and has changed nothing goes back to its hub, where another worker
 * may get it.
 */
import type { HubLink } from '../hub-link/hub-link.ts';
import type { ModelServers } from '../model/servers/model-servers.ts';
import type { Clock, Logger } from '../ports.ts';
import { every } from '../system/clock.ts';
import type { ActiveTask, ActiveTasks } from './active-tasks.ts';

const LOOK_EVERY_MS = 30_000;
/** A server that is back within this time finds its tasks where they were. */
const MIN_HOLD_MS = 60_000;
const RETURN_EVERY_MS = 10_000;

export interface ServerWatchOptions {
  active: ActiveTasks;
  servers: Pick<ModelServers, 'look' | 'downReason'>;
  link: Pick<HubLink, 'features'>;
  clock: Clock;
  logger: Logger;
}

export class ServerWatch {
  readonly #options: ServerWatchOptions;

  constructor(options: ServerWatchOptions) {
    this.#options = options;
  }

  /** Looks now and from time to time; the returned function ends that. */
  start(): () => void {
    const { clock, servers } = this.#options;
    // While one of them is up the hub would give the task to this worker again.
    const isDown = () => servers.downReason !== undefined;
    this.#look();
    const ends = [
      every(clock, LOOK_EVERY_MS, () => this.#look()),
      every(clock, RETURN_EVERY_MS, () => {
        if (isDown()) this.#giveBack(MIN_HOLD_MS);
      }),
    ];
    return () => ends.forEach((end) => end());
  }

  /** The hub gives no new task for now. What runs is finished, and what cannot go on is left to others. */
  onDrain(reason: string): void {
    this.#options.logger.info({ reason }, 'The hub drains this worker: what runs is finished');
    this.#giveBack(0);
  }

  /** Gives back what has been on hold for `minHoldMs` and has changed nothing, where the hub counts no attempt for it. */
  #giveBack(minHoldMs: number): void {
    const { active, clock, link } = this.#options;
    if (!link.features?.worker_status) return;
    for (const task of active.all()) {
      const { hold } = task.control;
      if (hold && clock.monotonicMs() - hold.sinceMs >= minHoldMs) void this.#giveBackUnchanged(task);
    }
  }

  async #giveBackUnchanged(active: ActiveTask): Promise<void> {
    const { servers, logger } = this.#options;
    const { control, task } = active;
    const { hold } = control;
    const isUnchanged = await hold?.hasChangedNothing();
    // It may go on by now, or have been stopped.
    if (!isUnchanged || control.hold !== hold || control.stopReason !== undefined) return;
    logger.info(
      { task_id: task.task_id },
      'A task is given back: its model server is down, and it has changed nothing',
    );
    const reason = servers.downReason ?? 'no model server answers that has its model';
    active.returnedFor = `worker_model_away: ${reason}`;
    // Nothing of it is checked or reported.
    control.stop('cancelled');
  }

  #look(): void {
    const { active, servers } = this.#options;
    // Tasks find out by their own calls.
    if (active.size === 0) void servers.look();
  }
}
