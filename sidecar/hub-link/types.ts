/** What the link to a hub is given and gives, and the handlers that it calls. */
import type { Agent } from 'node:http';
import type { HubUrlFailure } from '../addresses/hub-url.ts';
import type { Clock, Logger } from '../ports.ts';
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
  /** As known at this connection; a status reports changes. */
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
  retryInMs: number;
}

/** All optional, all called synchronously; what one throws is logged and goes no further. */
export interface HubLinkHandlers {
  /** A task to take or refuse; comes again with a higher generation when the hub gave it out again. */
  onAssign?(task: Task): void;
  /** An assignment that cannot be read; the hub waits for an answer to it. */
  onInvalidAssign?(invalid: { taskId: string; generation: number; reason: string }): void;
  /** A task of an earlier run is still this worker's. */
  onContinue?(taskId: string, generation: number): void;
  /**
   * The hub cancelled the task or gave it away. With `generation` only that assignment is over, and one of a newer
   * generation is not meant.
   */
  onDrop?(taskId: string, generation?: number): void;
  onSteer?(taskId: string, text: string): void;
  /** `restart_sidecar`: take nothing new, end, and be started again. */
  onRestart?(reason: string): void;
  /** `drain`: the hub gives no new task until it is told otherwise; what runs is finished. */
  onDrain?(reason: string): void;
  /** The link has stopped for good. */
  onRefused?(refusal: LinkRefusal): void;
  onConnected?(): void;
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
  /** Opens the connections, if a proxy leads to the hub. */
  agent?: Agent | undefined;
  /** The frames that a hub which announces no limit takes of one worker. */
  framesPerMinute?: number | undefined;
  /** The hub got nothing of this worker for a minute: all that it takes in one may be sent at once. */
  isRested?: boolean | undefined;
  /** 0 to below 1; for the jitter. */
  random?: () => number;
}

export type ResourceReport = Omit<
  Extract<WorkerFrameInput, { type: 'resource_report' }>,
  'type' | 'protocol_version'
>;

export interface WorkerStatus {
  /** Why it cannot work on new tasks; undefined: it can. */
  notReady?: string | undefined;
  /** Why it cannot work on tasks that name no model. */
  needsModel?: string | undefined;
  /** A problem that keeps it from no task. */
  notice?: string | undefined;
  /** The models that can be used; undefined: as before. */
  models?: readonly string[] | undefined;
}
