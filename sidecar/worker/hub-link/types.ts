/** Options, state and handlers of the link to a hub. */
import type { Agent } from 'node:http';
import type { HubUrlFailure } from '../../base/addresses/hub-url.ts';
import type { Clock, Logger } from '../../base/ports.ts';
import type { Task } from '../../base/protocol/task.ts';
import type { WorkerFrameInput } from '../../base/protocol/worker-frames.ts';
import type { Outbox } from '../../base/storage/outbox.ts';
import type { StorageError } from '../../base/storage/storage-error.ts';

/** The worker's identity; read again at each connection. */
export interface WorkerIdentity {
  workerId: string;
  token: string;
  name?: string;
  /** Labels by which the hub may assign tasks. */
  capabilities?: readonly string[];
  /** Number of tasks that run at the same time. */
  capacity?: number;
  /** Usable models when the worker connects; later, its status reports changes. */
  models?: readonly string[];
  version?: string;
  sandbox?: string;
  ollamaUrl?: string;
}

/**
 * `idle` before `start`; `connecting` until `identified`; `ready`; `waiting` between two attempts;
 * `stopped` permanently.
 */
export type HubLinkState = 'idle' | 'connecting' | 'ready' | 'waiting' | 'stopped';

/** The reason why the link stopped permanently. Codes are listed in docs/ERRORS.md. */
export interface LinkRefusal {
  code: 'token_refused' | HubUrlFailure['code'];
  message: string;
}

export interface Disconnection {
  reason: string;
  retryInMs: number;
}

/** Handlers of the link. All are optional and called synchronously; the errors that they throw are logged. */
export interface HubLinkHandlers {
  /**
   * Called with a task that the handler must take or refuse. If the hub assigns the task again, called again with a
   * higher generation.
   */
  onAssign?(task: Task): void;
  /** Called with an assignment that could not be parsed; the handler must refuse it. */
  onInvalidAssign?(invalid: { taskId: string; generation: number; reason: string }): void;
  /** Called if a task of an earlier run is still assigned to this worker. */
  onContinue?(taskId: string, generation: number): void;
  /**
   * Called if the hub cancelled or reassigned the task. If `generation` is given, only that assignment has ended, not
   * one of a newer generation.
   */
  onDrop?(taskId: string, generation?: number): void;
  onSteer?(taskId: string, text: string): void;
  /** Called for `restart_sidecar`: the worker must finish its tasks, take no new ones, and exit to be started again. */
  onRestart?(reason: string): void;
  /** Called for `drain`: the hub assigns no new task until further notice; running tasks are finished. */
  onDrain?(reason: string): void;
  /** Called when the link has stopped permanently. */
  onRefused?(refusal: LinkRefusal): void;
  onConnected?(): void;
  onDisconnected?(disconnection: Disconnection): void;
  /** Called if a disk write of the link or of a handler failed: no further write is safe. */
  onStorageFailed?(error: StorageError): void;
}

export interface HubLinkOptions {
  /** Address of the hub: `ws://` (loopback only, unless `allowInsecure`) or `wss://`. */
  url: string;
  identity: WorkerIdentity;
  outbox: Outbox;
  clock?: Clock;
  logger?: Logger;
  /** Whether `ws://` is allowed to a host that is not loopback. */
  allowInsecure?: boolean;
  /** Agent that opens the connections through a proxy; undefined without one. */
  agent?: Agent | undefined;
  /** Frames per minute for a hub that announces no limit. */
  framesPerMinute?: number | undefined;
  /** Whether the worker has sent no frame for a minute, so that the hub's bucket is full. */
  isBucketFull?: boolean | undefined;
  /** Returns a number from 0 to below 1, for the jitter. */
  random?: () => number;
}

export type ResourceReport = Omit<
  Extract<WorkerFrameInput, { type: 'resource_report' }>,
  'type' | 'protocol_version'
>;

export interface WorkerStatus {
  /** The reason why the worker can run no new task; undefined if it can. */
  notReady?: string | undefined;
  /** The reason why the worker can run no task that names no model. */
  needsModel?: string | undefined;
  /** A problem that prevents no task. */
  notice?: string | undefined;
  /** The usable models; undefined if unchanged. */
  models?: readonly string[] | undefined;
}
