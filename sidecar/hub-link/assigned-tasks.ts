/**
 * The assignments of this worker, as far as the connection is concerned: newest generation, whether `task_accepted` was
 * sent on this connection, and when the last progress was sent.
 */
import type { Task } from '../protocol/task.ts';

/** `task_ack accepted` that does not come is asked for again; the hub takes a task back after 60 s. */
const ACCEPT_AGAIN_MS = 15_000;
/** A state report that nobody answers counts as continued. */
const REPORT_UNANSWERED_MS = 30_000;
/** The hub takes a task back after ten minutes without progress; a task that is silent for this long gets a status. */
const SIGN_OF_LIFE_MS = 60_000;
/** The statuses of many silent tasks leave room for other frames: no more than one in this time. */
const BETWEEN_SIGNS_MS = 2_500;

export interface AssignedTask {
  readonly taskId: string;
  generation: number;
  assignedAt: number | string | undefined;
  /** Whether the worker took it; false between `task_assign` and `accept`. */
  taken: boolean;
  /** The connection on which the hub gave it out. */
  assignedOn: number | undefined;
  /** The connection on which `task_accepted` was sent, and whether it was acknowledged. */
  accepted: { connection: number; sentAtMs: number; acknowledged: boolean; attempts: number } | undefined;
  /** Generations of state reports that were not answered yet, oldest first. */
  reported: number[];
  reportedAtMs: number;
  lastSignMs: number;
}

export class AssignedTasks {
  readonly #tasks = new Map<string, AssignedTask>();

  get(taskId: string): AssignedTask | undefined {
    return this.#tasks.get(taskId);
  }

  delete(taskId: string): void {
    this.#tasks.delete(taskId);
  }

  all(): AssignedTask[] {
    return [...this.#tasks.values()];
  }

  /** The hub gave it out on `connection`; it wants `task_accepted`, also where it had it before. */
  assigned(task: Pick<Task, 'task_id' | 'generation'> & Partial<Task>, connection: number): AssignedTask {
    const known = this.#ensure(task.task_id);
    known.generation = task.generation;
    known.assignedAt = task.assigned_at;
    known.assignedOn = connection;
    known.accepted = undefined;
    return known;
  }

  /** The hub named the generation of a task that an earlier run of this worker took. */
  confirmed(taskId: string, generation: number): void {
    const known = this.#ensure(taskId);
    known.generation = Math.max(known.generation, generation);
  }

  take(taskId: string, generation: number | undefined, nowMs: number): AssignedTask {
    const known = this.#ensure(taskId);
    known.generation = Math.max(known.generation, generation ?? 0);
    known.taken = true;
    known.lastSignMs = nowMs;
    return known;
  }

  /** Whether the hub knows on this connection that the worker has the task; only then events mean something to it. */
  mayReport(taskId: string, connection: number): boolean {
    const known = this.#tasks.get(taskId);
    return !known?.taken || known.accepted?.connection === connection;
  }

  /** Tasks whose `task_accepted` is due (again). */
  toAccept(connection: number, nowMs: number): AssignedTask[] {
    return this.all().filter(({ taken, accepted, reportedAtMs, reported }) => {
      if (!taken) return false;
      if (accepted?.connection === connection) {
        return !accepted.acknowledged && nowMs - accepted.sentAtMs >= ACCEPT_AGAIN_MS;
      }
      return reported.length > 0 && nowMs - reportedAtMs >= REPORT_UNANSWERED_MS;
    });
  }

  silent(connection: number, nowMs: number): AssignedTask[] {
    const silenceMs = Math.max(SIGN_OF_LIFE_MS, this.#tasks.size * BETWEEN_SIGNS_MS);
    return this.all().filter(
      ({ taken, accepted, lastSignMs }) =>
        taken && accepted?.connection === connection && nowMs - lastSignMs >= silenceMs,
    );
  }

  signed(taskId: string, nowMs: number): void {
    const known = this.#tasks.get(taskId);
    if (known) known.lastSignMs = nowMs;
  }

  /** A frame was dropped: any `task_accepted` that is not acknowledged may be the one. */
  acceptAgain(): void {
    for (const { accepted } of this.all()) {
      if (accepted && !accepted.acknowledged) accepted.sentAtMs = Number.NEGATIVE_INFINITY;
    }
  }

  #ensure(taskId: string): AssignedTask {
    const known = this.#tasks.get(taskId);
    if (known) return known;
    const task: AssignedTask = {
      taskId,
      generation: 0,
      assignedAt: undefined,
      taken: false,
      assignedOn: undefined,
      accepted: undefined,
      reported: [],
      reportedAtMs: 0,
      lastSignMs: 0,
    };
    this.#tasks.set(taskId, task);
    return task;
  }
}
