/**
 * What the hub says about tasks, turned into work (protocol.md, What the real hub does): taken at once or refused with
 * a reason, never run twice, always under the newest generation.
 */
import type { Route, RoutingRules } from '../execution/routing.ts';
import { routeTask } from '../execution/routing.ts';
import type { HubLink } from '../hub-link/types.ts';
import type { Clock, Logger } from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import type { Outbox } from '../storage/outbox.ts';
import type { TaskRecords } from '../storage/task-records.ts';
import type { ActiveTask, ActiveTasks } from './active-tasks.ts';
import { failedFrame } from './terminal-frame.ts';

export interface AssignmentsOptions {
  active: ActiveTasks;
  records: TaskRecords;
  outbox: Outbox;
  link: () => Pick<HubLink, 'accept' | 'flush' | 'release'>;
  rules: RoutingRules;
  /** Why no task is taken now, or undefined. */
  closed: () => string | undefined;
  /** Puts a task into the queue. */
  enqueue: (active: ActiveTask) => void;
  clock: Clock;
  logger: Logger;
}

export class Assignments {
  readonly #options: AssignmentsOptions;

  constructor(options: AssignmentsOptions) {
    this.#options = options;
  }

  /** A task was assigned: new, again, or again under a new generation. Throws `StorageError`. */
  assign(task: Task): void {
    if (this.#adopt(task) || this.#answerAgain(task)) return;
    const refusal = this.#refusal(task);
    if (refusal) {
      this.refuse(task, refusal);
      return;
    }
    const { active, records, enqueue, link } = this.#options;
    // A task of an earlier life is in the records: it goes on under the new generation.
    const known = records.get(task.task_id);
    if (records.accept(task) === 'stale') return;
    link().accept(task.task_id, task.generation);
    enqueue(active.add(task, known ? this.#seqAfter(known.acceptedAtMs) : 0));
  }

  /** The hub says that a task of an earlier life is still this worker's. */
  resume(taskId: string, generation: number): void {
    const { records, active, link, enqueue } = this.#options;
    if (active.get(taskId)) return;
    records.adopt(taskId, generation);
    const record = records.get(taskId);
    if (!record) return;
    link().accept(taskId, generation);
    enqueue(active.add({ ...record.task, generation }, this.#seqAfter(record.acceptedAtMs)));
  }

  /** The hub gave the task away: what this worker had of it ends without a word. */
  drop(taskId: string, generation?: number): void {
    const { active, records, link } = this.#options;
    const running = active.get(taskId);
    // An abort that names an older generation is about an assignment that was replaced since.
    if (running && generation !== undefined && running.generation > generation) return;
    if (running) running.control.stop('cancelled');
    else if (records.get(taskId)) {
      records.finish(taskId, { outcome: 'aborted' });
      link().release(taskId);
    }
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

  #refusal(task: Task): string | undefined {
    const { active, rules, closed } = this.#options;
    const route: Route = routeTask(task, rules);
    if (route.kind === 'unsupported') return `unsupported_target_type:${route.targetType}`;
    if (active.isFull) return 'worker_busy: this worker runs and queues as many tasks as it may';
    return closed();
  }

  /**
   * Where counting of events goes on for a task of an earlier life: above all that can have been sent since it was
   * accepted, one event a millisecond, so that a reader sees a gap and never a double.
   */
  #seqAfter(acceptedAtMs: number): number {
    return Math.max(0, this.#options.clock.now() - acceptedAtMs);
  }
}
