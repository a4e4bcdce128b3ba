/** The link for the worker, and the handlers that the link calls. The link itself decides nothing about tasks. */
import type { HubUrlFailure } from '../addresses/hub-url.ts';
import type { AskPerson, Clock, Logger } from '../ports.ts';
import type { ExecutionEvent } from '../protocol/events.ts';
import type { HubFeatures } from '../protocol/hub-frames.ts';
import type { Task } from '../protocol/task.ts';
import type { WorkerFrameInput } from '../protocol/worker-frames.ts';
import type { Outbox } from '../storage/outbox.ts';
import type { StorageError } from '../storage/storage-error.ts';

/** Who this worker is to the hub; read again at each connection. */
export interface WorkerIdentity {
  agentId: string;
  token: string;
  name?: string;
  /** Labels that the hub may assign by. */
  capabilities?: readonly string[];
  /** Tasks that run at the same time. */
  capacity?: number;
  models?: readonly string[];
  version?: string;
  sandbox?: string;
  ollamaUrl?: string;
}

/**
 * `idle` before `start`; `connecting` until the hub said `identified`; `ready`; `waiting` between two attempts;
 * `stopped` for good.
 */
export type HubLinkState = 'idle' | 'connecting' | 'ready' | 'waiting' | 'stopped';

/** Why the link stopped for good. Codes are listed in docs/ERRORS.md. */
export interface LinkRefusal {
  code: 'token_refused' | HubUrlFailure['code'];
  message: string;
}

export interface Disconnection {
  reason: string;
  /** Attempts since the hub last said `identified`. */
  attempts: number;
  everConnected: boolean;
  retryInMs: number;
}

/** All optional, all called synchronously; what one throws is logged and goes no further. */
export interface HubLinkHandlers {
  /** A task to take or refuse; comes again with a higher generation when the hub gave it out again. */
  onAssign?(task: Task): void;
  /** An assignment that cannot be read; the hub waits for an answer to it. */
  onInvalidAssign?(invalid: { taskId: string; generation: number; reason: string }): void;
  onCancel?(taskId: string, reason?: string): void;
  onSteer?(taskId: string, text: string): void;
  /** `restart_sidecar`: take nothing new, end, and be started again. */
  onRestart?(reason: string): void;
  /** `drain`: the hub gives no new task until it is told otherwise; what runs is finished. */
  onDrain?(reason: string): void;
  /** The hub has no such assignment any more (its answer to `task_accepted`). */
  onReassign?(taskId: string): void;
  /** The assignment of this generation is over; an assignment of a newer one is not meant. */
  onAbort?(taskId: string, generation: number): void;
  /** The link has stopped for good. */
  onRefused?(refusal: LinkRefusal): void;
  onConnected?(features: HubFeatures | undefined): void;
  onDisconnected?(disconnection: Disconnection): void;
  /** The disk failed under the link or under one of these handlers: nothing can be kept safe any more. */
  onStorageFailed?(error: StorageError): void;
}

export interface HubLinkOptions {
  /** `ws://` (loopback only, unless allowed) or `wss://`. */
  url: string;
  identity: WorkerIdentity;
  outbox: Outbox;
  clock?: Clock;
  logger?: Logger;
  /** Allow `ws://` to a host that is not loopback. */
  allowInsecure?: boolean;
  /** The frames that a hub which announces no limit takes of one worker. */
  framesPerMinute?: number | undefined;
  /** The hub got nothing of this worker for a minute: all that it takes in one may be sent at once. */
  isRested?: boolean | undefined;
  /** 0 to below 1; for the jitter. */
  random?: () => number;
}

/** A hub's answer to `task_recovering`. */
export type RecoveryAnswer =
  | { action: 'continue'; generation: number }
  | { action: 'reassign' }
  /** The link stopped before there was an answer. */
  | { action: 'unanswered' };

export type ResourceReport = Omit<
  Extract<WorkerFrameInput, { type: 'resource_report' }>,
  'type' | 'protocol_version'
>;

export interface WorkerStatus {
  /** Why it cannot work on new tasks; undefined: it can. */
  notReady?: string | undefined;
  /** A problem that keeps it from no task. */
  notice?: string | undefined;
}

/**
 * The worker's line to its hub. No method throws for a failure of the network; `flush` and `flushed` may
 * throw `StorageError`.
 */
export interface HubLink {
  /** Connects and stays connected. A refused address or token is reported to `onRefused`. */
  start(handlers?: HubLinkHandlers): void;
  /** Ends the connection; what waits in the outbox stays there. May be called twice. */
  stop(): Promise<void>;
  readonly state: HubLinkState;
  /** False where the hub of this line takes no details of events. */
  readonly takesDetails: boolean;
  /** Why the last connection ended or was not made. */
  readonly lastLoss: string | undefined;
  /** Why no task may arrive although the hub answers; undefined where nothing is known of that. */
  readonly whyNoTasks: string | undefined;
  /** Undefined while not connected and with a hub that announces none. */
  readonly features: HubFeatures | undefined;
  /** Sends `task_accepted`, again after a reconnect where that is needed. Call it after the task is on disk. */
  accept(taskId: string, generation?: number): void;
  /** Ends what the link does for a task that sends no result (progress, signs of life, state reports). */
  release(taskId: string): void;
  /** Hands over an event; it is sent at once, joined with others, or, where it is only text, dropped. */
  progress(taskId: string, event: ExecutionEvent): void;
  /** The last event of a task that this worker no longer has, with what it used: for hubs that read it only. */
  usedInAll(taskId: string, event: ExecutionEvent): void;
  /** Looks into the outbox: call it after something was put there. */
  flush(): void;
  /** Resolves when the outbox is empty or the link is stopped. */
  flushed(): Promise<void>;
  /** Asks what became of a task that an earlier run of this worker was running. */
  recovering(taskId: string, generation?: number): Promise<RecoveryAnswer>;
  resourceReport(report: ResourceReport): void;
  /** Reports how this worker is to a hub that reads it, now and on each connection. */
  status(status: WorkerStatus): void;
  requestApproval: AskPerson;
}
