/**
 * Adapts the link to a hub; chosen at each `identified` by the hub's announced features. This class serves hubs that announce some;
 * `public-hub/` serves the public hub, which announces none.
 */
import type { ExecutionEvent } from '../../base/protocol/events.ts';
import type { HubFeatures, HubFrame } from '../../base/protocol/hub-frames.ts';
import { PING_INTERVAL_MS, PONG_TIMEOUT_MS } from '../../base/protocol/limits.ts';
import type { TerminalFrameInput } from '../../base/protocol/worker-frames.ts';
import type { AssignedTask } from './assigned-tasks.ts';

/** Interval of pings, and the time within which the hub has to answer. */
export interface Heartbeat {
  intervalMs: number;
  timeoutMs: number;
}

/**
 * The reason why a worker takes no task. `busy`: the worker has enough tasks; `closed`: the worker takes none at all.
 */
export interface TaskRefusal {
  kind: 'busy' | 'closed';
  error: string;
}

/** A task that this worker cannot run, but another worker can. */
export interface MisfitTask {
  taskId: string;
  error: string;
  refuse: () => void;
}

export class HubAdapter {
  readonly features: HubFeatures;
  readonly heartbeat: Heartbeat = { intervalMs: PING_INTERVAL_MS, timeoutMs: PONG_TIMEOUT_MS };
  /** Whether a result may only follow the acceptance of its task on the same connection. */
  readonly requiresAcceptance: boolean = false;
  /** Whether `task_continue` is sent for this worker's tasks only. */
  readonly confirmsOwnTasks: boolean = true;
  /** The reason why no task may arrive although the hub answers; undefined if unknown. */
  noTasksReason: string | undefined;
  /** A problem of the connection that prevents no task. */
  notice: string | undefined;

  constructor(features: HubFeatures) {
    this.features = features;
  }

  /** Handles `identified`; calls `onReady` once the connection may be used. */
  onIdentified(onReady: () => void): void {
    onReady();
  }

  /** Handles the end of the connection. */
  onLost(): void {}

  /** Gives back the tasks that the hub still assigns to this worker after its connection has ended. */
  async returnAssignedTasks(): Promise<void> {}

  onTick(): void {}

  /** Observes each frame before it is handled. */
  onFrame(_frame: HubFrame): void {}

  /** Schedules the return of a task that this worker cannot run. Returns false if the task can be refused at once. */
  returnMisfit(_misfit: MisfitTask): boolean {
    return false;
  }

  /** Returns how to react to a task that this worker would refuse. `_taken`: number of tasks that the worker has. */
  decideOnRefusal(_refusal: TaskRefusal, _taken: number): 'refuse' | 'take' | 'leave' {
    return 'refuse';
  }

  /** Returns whether the hub counts the worker as busy forever after the hub refused the result of `_task`. */
  countsAsBusy(_task: AssignedTask | undefined, _reason: string): boolean {
    return false;
  }

  /** Returns the result without the fields that this hub does not read. */
  adaptResult(frame: TerminalFrameInput): TerminalFrameInput {
    const { used, failed_result: readsFailed } = this.features;
    const adapted = { ...frame, used: used ? frame.used : undefined };
    return readsFailed || frame.type === 'task_complete' ? adapted : { ...adapted, result: undefined };
  }

  /**
   * Returns the event without the fields that this hub does not read; undefined if the hub gets no such events. Model
   * calls go only to hubs that read event lists: other hubs show each text on its own line, so these events would hide
   * the task's work.
   */
  adaptEvent({ used, details, ...event }: ExecutionEvent): ExecutionEvent | undefined {
    const { features } = this;
    if (event.model_call && !features.event_batch) return undefined;
    return {
      ...event,
      ...(used && features.used && { used }),
      ...(details && features.event_details && { details }),
    };
  }
}
