/**
 * What the hub says about tasks, turned into work: taken at once or refused with
 * a reason, never run twice, always under the newest generation.
 */
import type { RoutingRules } from '../executors/routing.ts';
import { routeTask } from '../executors/routing.ts';
import { Steering } from '../task/steering.ts';
import { insteadOfRefusal, LateRefusals, type Refusal } from '../hub-link/public-hub.ts';
import type { HubLink } from '../hub-link/types.ts';
import type { Clock, Logger, TaskJournal } from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import type { Outbox } from '../storage/outbox.ts';
import type { TaskRecords } from '../storage/task-records.ts';
import type { ActiveTask, ActiveTasks } from './active-tasks.ts';
import { failedFrame } from './terminal-frame.ts';

export interface AssignmentsOptions {
  active: ActiveTasks;
  records: TaskRecords;
  outbox: Outbox;
  link: () => Pick<HubLink, 'accept' | 'flush' | 'release' | 'features'>;
  rules: RoutingRules;
  /** Why no new task is taken now, or undefined. */
  closed: () => string | undefined;
  /** The worker is on its way out: nothing is begun any more. */
  draining: () => boolean;
  /** Puts a task into the queue. */
  enqueue: (active: ActiveTask) => void;
  /** A task's durable memory. */
  journal: (task: Task) => TaskJournal;
  /** A task that was not running has been given up: its workspace may go. */
  onDropped: () => void;
  clock: Clock;
  logger: Logger;
}

export class Assignments {
  readonly #options: AssignmentsOptions;
  readonly #lateRefusals: LateRefusals;

  constructor(options: AssignmentsOptions) {
    this.#options = options;
    this.#lateRefusals = new LateRefusals(options.clock);
  }

  /** A task was assigned: new, again, or again under a new generation. Throws `StorageError`. */
  assign(task: Task): void {
    if (this.#adopt(task) || this.#answerAgain(task) || this.#isOver(task)) return;
    const targetType = this.#foreignTarget(task);
    if (targetType !== undefined) {
      this.#refuseForeign(task, targetType);
      return;
    }
    const refusal = this.#refusal();
    if (refusal && !this.#takesAllTheSame(task, refusal)) return;
    const { active, records, enqueue, link } = this.#options;
    // A task of an earlier life is in the records: it goes on under the new generation.
    const known = records.get(task.task_id);
    if (records.accept(task) === 'stale') return;
    link().accept(task.task_id, task.generation);
    enqueue(active.add(task, known ? this.#seqAfter(known.acceptedAtMs) : 0));
  }

  /** The hub says that a task of an earlier life is still this worker's. */
  resume(taskId: string, generation: number): void {
    const { records, active, link, enqueue, draining } = this.#options;
    // A worker that leaves keeps the task in its journal for the next start.
    if (active.get(taskId) || draining()) return;
    records.adopt(taskId, generation);
    const record = records.get(taskId);
    if (!record) return;
    link().accept(taskId, generation);
    enqueue(active.add({ ...record.task, generation }, this.#seqAfter(record.acceptedAtMs)));
  }

  /** The hub gave the task away: what this worker had of it ends without a word. */
  drop(taskId: string, generation?: number): void {
    const { active, records, link, onDropped } = this.#options;
    this.#lateRefusals.drop(taskId);
    const running = active.get(taskId);
    // An abort that names an older generation is about an assignment that was replaced since.
    const newest = running?.next?.generation ?? running?.generation ?? 0;
    if (running && generation !== undefined && newest > generation) return;
    if (running) {
      running.next = undefined;
      running.control.stop('cancelled');
    } else if (records.get(taskId)) {
      records.finish(taskId, { outcome: 'aborted' });
      link().release(taskId);
      onDropped();
    }
  }

  /**
   * A person's words for a task, running or waiting for its hub's answer after a crash: on disk when this returns.
   * Throws `StorageError`.
   */
  steer(taskId: string, text: string): void {
    const { active, records, journal, logger } = this.#options;
    const running = active.get(taskId);
    const known = running ? undefined : records.get(taskId);
    if (known) {
      const steering = new Steering();
      steering.keepIn(journal(known.task));
      steering.add(text);
    } else if (!running || running.state === 'ended' || !running.control.steer(text)) {
      logger.warn({ task_id: taskId }, 'Nothing can be told to this task: it has ended, or too much waits');
      return;
    }
    logger.debug({ task_id: taskId }, 'A person said something to a task');
  }

  /** The line to the hub is lost. */
  disconnected(): void {
    this.#lateRefusals.dropAll();
  }

  /** A run is over: what the hub gave out anew in the meantime begins. Throws `StorageError`. */
  ended({ next }: ActiveTask): void {
    if (next && !this.#options.draining()) this.assign(next);
  }

  /** Says `task_failed` with a reason and forgets the task. */
  refuse(task: Pick<Task, 'task_id' | 'generation'>, error: string): void {
    const { records, link, logger } = this.#options;
    logger.warn({ task_id: task.task_id, error }, 'Task refused');
    const identity = { taskId: task.task_id, generation: task.generation };
    records.finish(task.task_id, { outcome: 'failed', frame: failedFrame(identity, error) });
    link().flush();
  }

  /** True when the task is running or waiting here: it moves to the new generation and goes on. */
  #adopt(task: Task): boolean {
    const { active, records, link } = this.#options;
    const running = active.get(task.task_id);
    if (!running) return false;
    if (running.control.stopReason === 'cancelled' || running.state === 'ended') {
      // That run gives no further result; adopting it would leave the hub waiting for one.
      if (task.generation > running.generation) running.next = task;
      else if (running.state === 'ended') link().release(task.task_id);
      return true;
    }
    if (records.accept(task) === 'stale') return true;
    running.generation = Math.max(running.generation, task.generation);
    link().accept(task.task_id, task.generation);
    return true;
  }

  /** True when the task is done and its result waits to be acknowledged: the result counts for the new generation. */
  #answerAgain(task: Task): boolean {
    const { outbox, link } = this.#options;
    if (!outbox.restamp(task.task_id, task.generation)) return false;
    link().accept(task.task_id, task.generation);
    link().flush();
    return true;
  }

  /** True when this very assignment has ended here: the frame came twice, or late. Nothing is done again. */
  #isOver({ task_id: taskId, generation }: Task): boolean {
    const { records, link, logger } = this.#options;
    const ended = records.endedGeneration(taskId);
    if (ended === undefined || ended < generation || records.get(taskId)) return false;
    logger.warn({ task_id: taskId, generation, ended }, 'An assignment that has ended here came again');
    link().release(taskId);
    return true;
  }

  /** A hub that counts refusals gives the task back at once, also where a worker of that kind is only busy. */
  #refuseForeign(task: Task, targetType: string): void {
    const { link, closed, logger } = this.#options;
    const { task_id: taskId } = task;
    const refuse = () => this.refuse(task, `unsupported_target_type:${targetType}`);
    if (link().features) {
      refuse();
      return;
    }
    logger.info(
      { task_id: taskId, target_type: targetType },
      'A task for another kind of worker: refused later',
    );
    this.#lateRefusals.later(taskId, () => {
      if (closed() === undefined) refuse();
    });
  }

  #foreignTarget(task: Task): string | undefined {
    const route = routeTask(task, this.#options.rules);
    return route.kind === 'unsupported' ? route.targetType : undefined;
  }

  #refusal(): Refusal | undefined {
    const { active, closed } = this.#options;
    if (active.isFull) {
      return { kind: 'busy', error: 'worker_busy: this worker runs and queues as many tasks as it may' };
    }
    const error = closed();
    return error === undefined ? undefined : { kind: 'closed', error };
  }

  /** Refuses the task where its hub knows what that means; false: nothing is left to do for it. */
  #takesAllTheSame(task: Task, refusal: Refusal): boolean {
    const { active, link, logger } = this.#options;
    if (link().features) {
      this.refuse(task, refusal.error);
      return false;
    }
    if (insteadOfRefusal(refusal, { taken: active.unfinished }) === 'take') return true;
    const { task_id: taskId } = task;
    logger.warn(
      { task_id: taskId, error: refusal.error },
      'Task not answered: the hub takes it back by itself',
    );
    link().release(taskId);
    return false;
  }

  /**
   * Where counting of events goes on for a task of an earlier life: above all that can have been sent since it was
   * accepted, one event a millisecond, so that a reader sees a gap and never a double.
   */
  #seqAfter(acceptedAtMs: number): number {
    return Math.max(0, this.#options.clock.now() - acceptedAtMs);
  }
}
