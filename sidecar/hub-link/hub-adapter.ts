/**
 * A hub as a worker deals with it, chosen at each `identified` by the features that it announces. This is one that announces
 * some; what the public hub needs, which announces none, is in `public-hub/`.
 */
import type { ExecutionEvent } from '../protocol/events.ts';
import type { HubFeatures, HubFrame } from '../protocol/hub-frames.ts';
import { PING_INTERVAL_MS, PONG_TIMEOUT_MS } from '../protocol/limits.ts';
import type { TerminalFrameInput } from '../protocol/worker-frames.ts';
import type { AssignedTask } from './assigned-tasks.ts';

/** How often the hub is pinged, and how soon it has to answer. */
export interface Heartbeat {
  everyMs: number;
  withinMs: number;
}

/** Why a worker takes no task: it has enough of them; it takes none at all. */
export interface Refusal {
  kind: 'busy' | 'closed';
  error: string;
}

/** A task that this worker cannot do and another one may. */
export interface Misfit {
  taskId: string;
  error: string;
  refuse: () => void;
}

export class HubAdapter {
  readonly features: HubFeatures;
  readonly heartbeat: Heartbeat = { everyMs: PING_INTERVAL_MS, withinMs: PONG_TIMEOUT_MS };
  /** Whether a result may go out only after its task was accepted on the same line. */
  readonly wantsAcceptance: boolean = false;
  /** Whether `task_continue` is said of this worker's tasks only. */
  readonly confirmsOwnTasks: boolean = true;
  /** Why no task may arrive although the hub answers; undefined if nothing is known of that. */
  whyNoTasks: string | undefined;
  /** Something unusual of the line that keeps no task away. */
  notice: string | undefined;

  constructor(features: HubFeatures) {
    this.features = features;
  }

  /** The hub said `identified`: calls `onReady` once the line may be used. */
  identified(onReady: () => void): void {
    onReady();
  }

  /** The line is lost, or left. */
  lost(): void {}

  /** Gives back what the hub still has as this worker's after its line has ended. */
  async giveBack(): Promise<void> {}

  onTick(): void {}

  /** Sees each frame before it is acted on. */
  onFrame(_frame: HubFrame): void {}

  /** Hands a misfit back later; false: the hub can be refused it at once. */
  handBack(_misfit: Misfit): boolean {
    return false;
  }

  /** Decides on a task for which a worker that holds `_taken` tasks has no room. */
  insteadOfRefusal(_refusal: Refusal, _taken: number): 'refuse' | 'take' | 'leave' {
    return 'refuse';
  }

  /** Reports whether the hub, after it refused the result of `_task`, believes the worker busy for ever. */
  leavesBusy(_task: AssignedTask | undefined, _reason: string): boolean {
    return false;
  }

  /** Returns the result without what this hub does not read. */
  result(frame: TerminalFrameInput): TerminalFrameInput {
    const { used, failed_result: readsFailed } = this.features;
    const read = { ...frame, used: used ? frame.used : undefined };
    return readsFailed || frame.type === 'task_complete' ? read : { ...read, result: undefined };
  }

  /**
   * Returns the event without what this hub does not read. Calls of the model go to hubs that list events only: others show
   * each text on a line of its own, and these would hide what the task does.
   */
  event({ used, details, ...event }: ExecutionEvent): ExecutionEvent | undefined {
    const { features } = this;
    if (event.model_call && !features.event_batch) return undefined;
    return {
      ...event,
      ...(used && features.used && { used }),
      ...(details && features.event_details && { details }),
    };
  }
}
