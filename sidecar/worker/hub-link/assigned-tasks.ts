/** Tracks the tasks that the hub assigned: their newest generation, and the frames about each on the present connection. */
import type { Task } from '../../base/protocol/task.ts';

/** Interval at which an unanswered frame is repeated; the hub takes back a task that is not accepted within 60 s. */
const REPEAT_INTERVAL_MS = 15_000;
/**
 * Silence of a task after which a keep-alive frame is sent for it; the hub takes a task back after ten minutes without
 * progress.
 */
const KEEPALIVE_INTERVAL_MS = 60_000;
/** Minimum interval between two keep-alive frames, so that many silent tasks leave capacity for other frames. */
const MIN_KEEPALIVE_GAP_MS = 2_500;
/** Maximum number of `task_accepted` frames that wait for an acknowledgement; after them the result is sent anyway. */
const MAX_ACCEPT_ATTEMPTS = 2;

/** The frames about a task on the present connection. */
interface ConnectionFrames {
  /** Whether the hub assigned the task. */
  isAssigned?: boolean;
  /** Generation of the last question to the hub whether the task is still assigned to this worker. */
  askedGeneration?: number | undefined;
  /** Number of `task_accepted` frames that were sent. */
  acceptedCount?: number;
  isAcknowledged?: boolean;
  /** Time of the last frame about the task; after the acknowledgement, progress counts as such a frame. */
  sentAtMs?: number;
}

export interface AssignedTask {
  readonly taskId: string;
  generation: number;
  assignedAt?: number | string | undefined;
  /** `recovering`: an earlier run of this worker had the task; `given`: assigned and not answered; `taken`: in work. */
  state: 'recovering' | 'given' | 'taken';
  frames: ConnectionFrames;
}

export class AssignedTasks {
  readonly #tasks = new Map<string, AssignedTask>();

  get(taskId: string): AssignedTask | undefined {
    return this.#tasks.get(taskId);
  }

  delete(taskId: string): void {
    this.#tasks.delete(taskId);
  }

  list(): AssignedTask[] {
    return [...this.#tasks.values()];
  }

  /** Starts a new connection: unanswered assignments are void. */
  onNewConnection(): void {
    for (const task of this.list()) {
      if (task.state === 'given') this.delete(task.taskId);
      task.frames = {};
    }
  }

  /** Records an assignment, which needs `task_accepted` even if the task was accepted before. */
  recordAssignment(task: Pick<Task, 'task_id' | 'generation'> & Partial<Task>): AssignedTask {
    const assignedTask = this.#getOrAdd(task.task_id);
    assignedTask.generation = task.generation;
    assignedTask.assignedAt = task.assigned_at;
    if (assignedTask.state === 'recovering') assignedTask.state = 'given';
    assignedTask.frames = { isAssigned: true, askedGeneration: assignedTask.frames.askedGeneration };
    return assignedTask;
  }

  /** Records a task of an earlier run of this worker. */
  recordRecovering(taskId: string, generation: number): void {
    Object.assign(this.#getOrAdd(taskId), { state: 'recovering', generation });
  }

  markTaken(taskId: string, generation = 0): AssignedTask {
    const assignedTask = this.#getOrAdd(taskId);
    assignedTask.generation = Math.max(assignedTask.generation, generation);
    assignedTask.state = 'taken';
    return assignedTask;
  }

  /** Returns the tasks that need a frame, for the first time on this connection or again. */
  listDue(nowMs: number): AssignedTask[] {
    const silenceMs = Math.max(KEEPALIVE_INTERVAL_MS, this.#tasks.size * MIN_KEEPALIVE_GAP_MS);
    return this.list().filter(
      ({ state, frames: { isAcknowledged, sentAtMs = Number.NEGATIVE_INFINITY } }) => {
        const waitMs = isAcknowledged ? silenceMs : REPEAT_INTERVAL_MS;
        return state !== 'given' && nowMs - sentAtMs >= waitMs;
      },
    );
  }

  /** Makes all unanswered frames due again: the hub dropped one of them, and it is unknown which one. */
  onFrameDropped(): void {
    for (const { frames } of this.list()) {
      if (frames.isAcknowledged) continue;
      delete frames.askedGeneration;
      delete frames.sentAtMs;
    }
  }

  #getOrAdd(taskId: string): AssignedTask {
    const task = this.#tasks.get(taskId) ?? { taskId, generation: 0, state: 'given', frames: {} };
    this.#tasks.set(taskId, task);
    return task;
  }
}

/** Returns whether to wait for the hub's acknowledgement of the acceptance; false for a hub that acknowledges none. */
export function isAcceptancePending(task: AssignedTask | undefined): boolean {
  const { acceptedCount = Number.POSITIVE_INFINITY, isAcknowledged } = task?.frames ?? {};
  return !isAcknowledged && acceptedCount <= MAX_ACCEPT_ATTEMPTS;
}
