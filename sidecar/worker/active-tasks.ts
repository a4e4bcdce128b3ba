/**
 * The tasks that this worker has taken and not finished, waiting tasks included: their identity, their generation, and how to stop them.
 */
import { TaskControl } from '../solving/task/task-control.ts';
import { EventDetails } from './event-details.ts';
import type { JournalStore } from '../solving/task/journal.ts';
import type { Task } from '../base/protocol/task.ts';
import type { TaskTrace } from '../solving/run-ports.ts';

export interface ActiveTask {
  readonly task: Task;
  /** The newest generation that the hub named; results are sent with this generation. */
  generation: number;
  readonly control: TaskControl;
  /** `ended`: the result is persisted and the workspace is being removed. */
  state: 'queued' | 'running' | 'ended';
  /** Whether the task was stopped without a result, to be resumed at the next start. */
  isSuspended: boolean;
  /**
   * The reason for returning the task to its hub, sent as the error of `task_failed`. The hub counts no attempt and
   * gives the task to another worker.
   */
  returnReason?: string;
  /** Sequence number of the last event; a resumed task continues with higher numbers. */
  lastSeq: number;
  /** Number of model calls that were reported to the hub. */
  reportedCallCount?: number;
  /** Limits the details of the task's events. */
  readonly eventDetails: EventDetails;
  /** Trace from the start of the run, if traces are enabled. */
  trace?: TaskTrace;
  /** The next assignment of the task, if the hub assigned it again while this run was being stopped or cleaned up. */
  nextAssignment?: Task;
}

export class ActiveTasks {
  readonly #tasks = new Map<string, ActiveTask>();
  readonly #openJournal: (task: Task) => JournalStore;

  constructor(openJournal: (task: Task) => JournalStore) {
    this.#openJournal = openJournal;
  }

  /**
   * Number of tasks that need capacity. An ended task needs none, because the hub assigns the next task as soon as it
   * has the result.
   */
  get unfinishedCount(): number {
    return this.list().filter((active) => active.state !== 'ended').length;
  }

  get size(): number {
    return this.#tasks.size;
  }

  get runningCount(): number {
    return this.list().filter((active) => active.state === 'running').length;
  }

  get(taskId: string): ActiveTask | undefined {
    return this.#tasks.get(taskId);
  }

  /** Adds a task in state `queued`. Throws `StorageError`. */
  add(task: Task, lastSeq = 0): ActiveTask {
    // The control gets the journal now, since a task may be steered long before its run is opened.
    const control = new TaskControl(this.#openJournal(task));
    const { generation } = task;
    const eventDetails = new EventDetails();
    const active: ActiveTask = {
      task,
      generation,
      control,
      state: 'queued',
      isSuspended: false,
      lastSeq,
      eventDetails,
    };
    this.#tasks.set(task.task_id, active);
    return active;
  }

  remove(taskId: string): void {
    this.#tasks.delete(taskId);
  }

  list(): ActiveTask[] {
    return [...this.#tasks.values()];
  }
}
