/**
 * Turns the hub's frames about tasks into work: a task is taken at once or refused with a reason, never run twice, and always has the
 * newest generation.
 */
import { chooseRoute, type RoutingConfig } from '../solving/ways/routing.ts';
import { TaskControl } from '../solving/task/task-control.ts';
import type { JournalStore } from '../solving/task/journal.ts';
import type { TaskRefusal } from './hub-link/hub-adapter.ts';
import type { HubLink } from './hub-link/hub-link.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { Task } from '../base/protocol/task.ts';
import type { Outbox } from '../base/storage/outbox.ts';
import { StorageError } from '../base/storage/storage-error.ts';
import type { TaskRecords } from '../base/storage/task-records.ts';
import type { ActiveTask, ActiveTasks } from './active-tasks.ts';
import { refusalOf, type Capacity } from './capacity.ts';
import type { Worker } from './worker.ts';
import type { Pruning } from './pruning.ts';
import type { WorkerTaskQueue } from './task-queue.ts';
import { buildFailedFrame, buildTerminalFrame } from './terminal-frame.ts';
import { reportUsage, type TaskTotalsReader } from './usage-report.ts';

export interface AssignmentsOptions {
  active: ActiveTasks;
  records: TaskRecords;
  outbox: Outbox;
  /** Opens the journal of a task. */
  openJournal: (task: Task) => JournalStore;
  link: Pick<HubLink, 'accept' | 'flush' | 'release' | 'hub' | 'askAboutTask' | 'sendProgress'>;
  ledger: TaskTotalsReader;
  config: RoutingConfig;
  capacity: Omit<Capacity, 'active' | 'worker'>;
  worker: Pick<Worker, 'isDraining' | 'onStorageFailed'>;
  queue: Pick<WorkerTaskQueue, 'run'>;
  pruning: Pick<Pruning, 'pruneSoon'>;
  clock: Clock;
  logger: Logger;
}

export class Assignments {
  readonly #options: AssignmentsOptions;

  constructor(options: AssignmentsOptions) {
    this.#options = options;
  }

  /** Handles an assignment: a new task, or a known one with the same or a newer generation. Throws `StorageError`. */
  onAssign(task: Task): void {
    if (this.#adoptRunning(task) || this.#resendPending(task) || this.#resendEnded(task)) return;
    const route = chooseRoute(task, this.#options.config);
    if (route.kind === 'unsupported') {
      this.#refuseUnsupported(task, route.targetType);
      return;
    }
    const { records, capacity, link, active, worker } = this.#options;
    const refusal = refusalOf({ ...capacity, active, worker }, link.hub.features, task);
    if (refusal && !this.#refuseOrTake(task, refusal)) return;
    // A recorded task of an earlier run is resumed under the new generation.
    const record = records.get(task.task_id);
    if (records.accept(task) === 'stale') return;
    this.#startTask(task, record?.acceptedAtMs);
  }

  /**
   * Asks the hub after a crash about each unfinished task, and resumes or drops the task by the answer. Tasks that the hub assigns again by
   * itself arrive as assignments. Throws `StorageError`.
   */
  recover(): void {
    const { records, link, logger } = this.#options;
    for (const { task, generation } of records.listUnfinished()) {
      logger.info({ task_id: task.task_id, generation }, 'Found an unfinished task; asking the hub about it');
      link.askAboutTask(task.task_id, generation);
    }
  }

  /** Resumes a task of an earlier run that the hub still assigns to this worker. Throws `StorageError`. */
  onContinue(taskId: string, generation: number): void {
    const { records, active, worker } = this.#options;
    // While the worker drains, the task stays in the journal for the next start.
    if (active.get(taskId) || worker.isDraining) return;
    records.adopt(taskId, generation);
    const record = records.get(taskId);
    if (record) this.#startTask({ ...record.task, generation }, record.acceptedAtMs);
  }

  /**
   * Accepts a task that is on disk and runs it when its turn comes. Then starts the assignment that arrived in the
   * meantime, if any.
   */
  #startTask(task: Task, acceptedBeforeAtMs?: number): void {
    const { active, link, queue, worker } = this.#options;
    link.accept(task.task_id, task.generation);
    const activeTask = active.add(task, this.#firstSeqOf(acceptedBeforeAtMs));
    queue
      .run(activeTask)
      .finally(() => active.remove(task.task_id))
      .then(() => activeTask.nextAssignment && !worker.isDraining && this.onAssign(activeTask.nextAssignment))
      .catch((error: unknown) => this.#onRunFailed(activeTask, error));
  }

  /** Ends the worker if its records cannot be written. Any other error, such as a missing module, ends only the task. */
  #onRunFailed({ task, generation }: ActiveTask, error: unknown): void {
    const { records, worker, logger } = this.#options;
    try {
      if (error instanceof StorageError) throw error;
      logger.error({ err: error, task_id: task.task_id }, 'A task could not be run');
      if (!records.get(task.task_id)) return;
      const reason = "internal_error: the worker could not run the task; see the worker's log";
      this.refuse({ task_id: task.task_id, generation }, reason);
    } catch (storageError) {
      worker.onStorageFailed(storageError);
    }
  }

  /** Drops a task that the hub cancelled or gave to another worker; no more frames are sent about the task. */
  onDrop(taskId: string, generation?: number): void {
    const { active, records, link, pruning } = this.#options;
    const activeTask = active.get(taskId);
    // An abort with an older generation is about an assignment that has been replaced since.
    const newestGeneration = activeTask?.nextAssignment?.generation ?? activeTask?.generation ?? 0;
    if (activeTask && generation !== undefined && newestGeneration > generation) return;
    if (activeTask) {
      activeTask.nextAssignment = undefined;
      activeTask.control.stop('cancelled');
    } else if (records.get(taskId)) {
      records.finish(taskId, { outcome: 'aborted' });
      link.release(taskId);
      reportUsage(this.#options, taskId);
      // The workspace of the task can be removed.
      pruning.pruneSoon();
    }
  }

  /** Handles the hub's drain: returns the tasks that have not begun here to the hub. */
  onDrain(reason: string): void {
    const { active, records, logger } = this.#options;
    logger.info({ reason }, 'The hub drains this worker: running tasks continue, and no new ones start');
    for (const activeTask of active.list()) {
      // A task that an earlier run of this worker began has journaled answers, so it is not returned.
      const hasBegun =
        activeTask.state !== 'queued' || records.get(activeTask.task.task_id)?.state === 'running';
      if (hasBegun || activeTask.control.stopReason !== undefined) continue;
      activeTask.returnReason = 'worker_draining: the hub drains this worker, and the task had not started';
      activeTask.control.stop('cancelled');
    }
  }

  /**
   * Queues a user's message for a task that runs, or that waits for its hub's answer after a crash. The message is on
   * disk when this method returns. Throws `StorageError`.
   */
  onSteer(taskId: string, text: string): void {
    const { active, records, openJournal, logger } = this.#options;
    const activeTask = active.get(taskId);
    const record = activeTask ? undefined : records.get(taskId);
    if (record) {
      new TaskControl(openJournal(record.task)).steer(text);
    } else if (!activeTask || activeTask.state === 'ended' || !activeTask.control.steer(text)) {
      logger.warn(
        { task_id: taskId },
        'This task cannot be steered: it has ended, or too many messages are queued',
      );
      return;
    }
    logger.debug({ task_id: taskId }, 'A user steered a task');
  }

  /** Ends the task with `task_failed` and a reason. */
  refuse(task: Pick<Task, 'task_id' | 'generation'>, error: string): void {
    const { records, link, logger } = this.#options;
    logger.warn({ task_id: task.task_id, error }, 'Task refused');
    const identity = { taskId: task.task_id, generation: task.generation };
    records.finish(task.task_id, { outcome: 'failed', frame: buildFailedFrame(identity, error) });
    link.flush();
  }

  /** Moves a task that is running or waiting on this worker to the new generation. Returns false for any other task. */
  #adoptRunning(task: Task): boolean {
    const { active, records, link } = this.#options;
    const activeTask = active.get(task.task_id);
    if (!activeTask) return false;
    if (activeTask.control.stopReason === 'cancelled' || activeTask.state === 'ended') {
      // A run that is ending gives no further result: if it adopted the new generation, the hub would wait for a result
      // in vain.
      if (task.generation > activeTask.generation) activeTask.nextAssignment = task;
      else if (activeTask.state === 'ended') link.release(task.task_id);
      return true;
    }
    if (records.accept(task) === 'stale') return true;
    activeTask.generation = Math.max(activeTask.generation, task.generation);
    link.accept(task.task_id, task.generation);
    return true;
  }

  /**
   * Moves a finished result that waits for its acknowledgement to the new generation. Returns false if there is no such
   * result.
   */
  #resendPending(task: Task): boolean {
    const { outbox, link } = this.#options;
    if (!outbox.moveToGeneration(task.task_id, task.generation)) return false;
    link.accept(task.task_id, task.generation);
    link.flush();
    return true;
  }

  /**
   * Handles an assignment that has ended on this worker: its frame came twice or late, or the hub was restored to an
   * older state. Sends the result again instead of running the task again. Returns false for any other assignment.
   */
  #resendEnded({ task_id: taskId, generation }: Task): boolean {
    const { records, outbox, link, logger } = this.#options;
    const endedGeneration = records.findEndedGeneration(taskId);
    if (endedGeneration === undefined || endedGeneration < generation || records.get(taskId)) return false;
    logger.warn(
      { task_id: taskId, generation, ended: endedGeneration },
      'The hub assigned a task again that has already ended on this worker',
    );
    const result = records.findUsableResult(taskId);
    if (result) {
      outbox.enqueue(buildTerminalFrame({ taskId, generation }, result));
      link.accept(taskId, generation);
      link.flush();
    } else link.release(taskId);
    return true;
  }

  #refuseUnsupported(task: Task, targetType: string): void {
    const { link, worker } = this.#options;
    const error = `unsupported_target_type:${targetType}`;
    const refuse = () => {
      if (!worker.isDraining) this.refuse(task, error);
    };
    if (!link.hub.returnMisfit({ taskId: task.task_id, error, refuse })) refuse();
  }

  /** Refuses the task if its hub supports that. Returns true if the worker must take the task despite the refusal. */
  #refuseOrTake(task: Task, refusal: TaskRefusal): boolean {
    const { active, link, logger } = this.#options;
    const { task_id: taskId } = task;
    const { error } = refusal;
    const decision = link.hub.decideOnRefusal(refusal, active.unfinishedCount);
    if (decision === 'refuse') this.refuse(task, error);
    if (decision === 'leave') {
      logger.warn(
        { task_id: taskId, error },
        'Did not answer the assignment: the hub assigns the task again after a timeout',
      );
      link.release(taskId);
    }
    return decision === 'take';
  }

  /**
   * Returns the first sequence number for a task of an earlier run. The number is higher than all that can have been
   * sent since the acceptance, at one event per millisecond, so that readers see a gap and never a duplicate.
   */
  #firstSeqOf(acceptedAtMs?: number): number {
    return acceptedAtMs === undefined ? 0 : Math.max(0, this.#options.clock.now() - acceptedAtMs);
  }
}
