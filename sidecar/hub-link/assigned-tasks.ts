/** The tasks of this worker as far as its hub is concerned: their newest generation, and what was said of each on the present line. */
import type { Task } from '../protocol/task.ts';

/** What is not answered is said again; the hub takes a task that is not accepted back after 60 s. */
const UNANSWERED_MS = 15_000;
/** The hub takes a task back after ten minutes without progress; one that is silent for this long gives a sign of life. */
const SIGN_OF_LIFE_MS = 60_000;
/** The signs of many silent tasks leave room for other frames: no more than one in this time. */
const BETWEEN_SIGNS_MS = 2_500;
/** A hub that acknowledges no acceptance is sent the result after so many. */
const MAX_ACCEPT_ATTEMPTS = 2;

/** What passed about a task on the present line. */
interface OnLine {
  /** The hub gave it out. */
  isAssigned?: boolean;
  /** The generation with which the hub was asked whether it still has the task as this worker's. */
  asked?: number | undefined;
  /** How often `task_accepted` was sent. */
  accepted?: number;
  isAcknowledged?: boolean;
  /** When something was said of it last: after the acknowledgement progress, too. */
  saidAtMs?: number;
}

export interface AssignedTask {
  readonly taskId: string;
  generation: number;
  assignedAt?: number | string | undefined;
  /** `recovering`: an earlier run of this worker had it; `given`: by the hub, and not answered; `taken`: it is worked on. */
  state: 'recovering' | 'given' | 'taken';
  line: OnLine;
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

  /** The line is another one: assignments that nobody answered are void. */
  onNewLine(): void {
    for (const task of this.all()) {
      if (task.state === 'given') this.delete(task.taskId);
      task.line = {};
    }
  }

  /** The hub gave it out; it wants `task_accepted`, also where it had it before. */
  assigned(task: Pick<Task, 'task_id' | 'generation'> & Partial<Task>): AssignedTask {
    const known = this.#ensure(task.task_id);
    known.generation = task.generation;
    known.assignedAt = task.assigned_at;
    if (known.state === 'recovering') known.state = 'given';
    known.line = { isAssigned: true, asked: known.line.asked };
    return known;
  }

  /** An earlier run of this worker had it. */
  recovering(taskId: string, generation: number): void {
    Object.assign(this.#ensure(taskId), { state: 'recovering', generation });
  }

  take(taskId: string, generation = 0): AssignedTask {
    const known = this.#ensure(taskId);
    known.generation = Math.max(known.generation, generation);
    known.state = 'taken';
    return known;
  }

  /** Returns the tasks of which something is to be said, for the first time on this line or again. */
  due(nowMs: number): AssignedTask[] {
    const silenceMs = Math.max(SIGN_OF_LIFE_MS, this.#tasks.size * BETWEEN_SIGNS_MS);
    return this.all().filter(({ state, line: { isAcknowledged, saidAtMs = Number.NEGATIVE_INFINITY } }) => {
      const waitMs = isAcknowledged ? silenceMs : UNANSWERED_MS;
      return state !== 'given' && nowMs - saidAtMs >= waitMs;
    });
  }

  /** A frame was dropped: any that was not answered may be the one. */
  onFrameDropped(): void {
    for (const { line } of this.all()) {
      if (line.isAcknowledged) continue;
      delete line.asked;
      delete line.saidAtMs;
    }
  }

  #ensure(taskId: string): AssignedTask {
    const task = this.#tasks.get(taskId) ?? { taskId, generation: 0, state: 'given', line: {} };
    this.#tasks.set(taskId, task);
    return task;
  }
}

/** Reports whether the hub has still to acknowledge that the task is accepted; one that acknowledges nothing is waited for no longer. */
export function isAcceptancePending(task: AssignedTask | undefined): boolean {
  const { accepted = Number.POSITIVE_INFINITY, isAcknowledged } = task?.line ?? {};
  return !isAcknowledged && accepted <= MAX_ACCEPT_ATTEMPTS;
}
