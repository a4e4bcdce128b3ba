/**
 * The tasks that this worker has taken and not finished, waiting ones included: who they are, under which generation,
 * and how to stop them.
 */
import { TaskControl } from '../solving/task/task-control.ts';
import { EventDetails } from './event-details.ts';
import type { TaskJournal, TaskTrace } from '../base/ports.ts';
import type { Task } from '../base/protocol/task.ts';

export interface ActiveTask {
  readonly task: Task;
  /** The newest that the hub named; results carry it. */
  generation: number;
  readonly control: TaskControl;
  /** `ended`: its result is written down and its workspace is being cleared away. */
  state: 'queued' | 'running' | 'ended';
  /** Whether the task was stopped without a result, to be resumed at the next start. */
  isSuspended: boolean;
  /** Why it goes back to its hub, which gives it to another worker and counts no attempt: the error of `task_failed`. */
  returnedFor?: string;
  /** Sequence number of the last event; a resumed task continues above it. */
  lastSeq: number;
  /** Calls of models that were reported to the hub. */
  reportedCalls?: number;
  /** The details of its events. */
  readonly details: EventDetails;
  /** From the start of its run, where traces are wanted. */
  trace?: TaskTrace;
  /** The hub gave the task out anew while this run was being cut off or cleared away: taken once that is over. */
  next?: Task;
}

export class ActiveTasks {
  readonly #tasks = new Map<string, ActiveTask>();
  readonly #journal: (task: Task) => TaskJournal;

  constructor(journal: (task: Task) => TaskJournal) {
    this.#journal = journal;
  }

  /** A task that has ended takes no capacity: the hub gives out the next one as soon as it has the result. */
  get unfinished(): number {
    return this.all().filter((active) => active.state !== 'ended').length;
  }

  get size(): number {
    return this.#tasks.size;
  }

  get running(): number {
    return this.all().filter((active) => active.state === 'running').length;
  }

  get(taskId: string): ActiveTask | undefined {
    return this.#tasks.get(taskId);
  }

  /** Throws `StorageError`. */
  add(task: Task, lastSeq = 0): ActiveTask {
    const control = new TaskControl();
    // From here on, since a task may wait long before it is opened.
    control.steering.keepIn(this.#journal(task));
    const { generation } = task;
    const details = new EventDetails();
    const active: ActiveTask = {
      task,
      generation,
      control,
      state: 'queued',
      isSuspended: false,
      lastSeq,
      details,
    };
    this.#tasks.set(task.task_id, active);
    return active;
  }

  remove(taskId: string): void {
    this.#tasks.delete(taskId);
  }

  all(): ActiveTask[] {
    return [...this.#tasks.values()];
  }

  /**
   * The journal for the run of a task. Once the task is suspended nothing more is written, whatever the run
   * still does: the next start resumes the task.
   */
  journalOf(task: Task): TaskJournal {
    const journal = this.#journal(task);
    const appendSoon = journal.appendSoon?.bind(journal);
    const isSuspended = () => this.get(task.task_id)?.isSuspended === true;
    return {
      ...journal,
      append: (entries) => (isSuspended() ? undefined : journal.append(entries)),
      ...(appendSoon && {
        appendSoon: (entries, withinMs) =>
          isSuspended() ? Promise.resolve() : appendSoon(entries, withinMs),
      }),
    };
  }
}
