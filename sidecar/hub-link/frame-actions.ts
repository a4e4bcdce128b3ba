/** The parts of the link that frames of the hub, and the passing of time, act on. */
import type { Logger } from '../ports.ts';
import type { HubFeatures } from '../protocol/hub-frames.ts';
import type { AssignedTasks } from './assigned-tasks.ts';
import type { OpenQuestions } from './open-questions.ts';
import type { Outgoing } from './outgoing.ts';
import type { Recoveries } from './recoveries.ts';
import type { HubLinkHandlers, HubLinkState, LinkRefusal } from './types.ts';

export interface FrameActions {
  readonly state: HubLinkState;
  readonly handlers: HubLinkHandlers;
  readonly features: HubFeatures | undefined;
  /** Number of the connection. */
  readonly connection: number;
  readonly nowMs: number;
  readonly log: Logger | undefined;
  readonly tasks: AssignedTasks;
  readonly outgoing: Outgoing;
  readonly recoveries: Recoveries;
  readonly questions: OpenQuestions;
  /** Runs it and keeps its errors from the socket. */
  call(work: () => void): void;
  identified(features: HubFeatures | undefined): void;
  /** Waits for the assignment that may follow, then tells the worker. */
  abort(taskId: string, generation: number): void;
  release(taskId: string): void;
  rateLimited(retryAfterMs: number): void;
  refuse(refusal: LinkRefusal): void;
  reconnect(cause: string): void;
  /** The hub dropped an agent from its register. */
  left(agentId: string | undefined): void;
  fail(taskId: string, generation: number, error: string): void;
}
