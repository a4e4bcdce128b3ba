/** Handles messages of other parts of the hub, or of other replicas, for workers that are connected here. */
import type { Clock, Logger } from '../base/ports.ts';
import type { TaskDelivery } from './queue/assignment.ts';
import type { Conversations } from './queue/conversations.ts';
import { sendDecision } from './socket/frame-handlers.ts';
import type { WorkerDirectory } from './socket/worker-directory.ts';
import type { HubMessage } from './storage/unit-of-work.ts';
import type { Broadcaster } from './stream/broadcaster.ts';

/** How long changes of workers are collected before one read of the database. */
const CHANGE_BATCH_MS = 100;

interface HubMessagesOptions {
  clock: Clock;
  workers: WorkerDirectory;
  conversations: Conversations;
  broadcaster: Broadcaster;
  logger: Logger;
}

type WorkerMessage = Exclude<HubMessage, { kind: 'queue' | 'due' | 'report' | 'token_revoked' }>;

export class HubMessages {
  readonly #options: HubMessagesOptions;
  readonly #changedWorkers = new Set<string>();

  constructor(options: HubMessagesOptions) {
    this.#options = options;
  }

  /** Handles a message; a failure is logged. Never throws. */
  handle(message: WorkerMessage): void {
    this.#handleMessage(message).catch((error: unknown) => {
      this.#options.logger.error(
        { err: error, kind: message.kind },
        'an internal message could not be handled',
      );
    });
  }

  /** Sends an assignment; returns false if the connection is gone. */
  deliver({ task, content, sessionId }: TaskDelivery): boolean {
    const session = this.#options.workers.findSession(task.worker_id ?? '');
    if (session?.sessionId !== sessionId || !session.isOpen) return false;
    const { generation, id } = task;
    session.tasks.set(id, { generation });
    session.lastAssignedAtMs = task.assigned_at ?? 0;
    return session.send({
      ...(JSON.parse(content) as object),
      type: 'task_assign',
      task_id: id,
      generation,
      assigned_at: task.assigned_at ?? 0,
    });
  }

  async #handleMessage(message: WorkerMessage): Promise<void> {
    const { workers, conversations } = this.#options;
    const session = workers.findSession(message.agentId);
    switch (message.kind) {
      case 'worker':
        this.#onWorkerChange(message.agentId);
        return;
      case 'cancelled':
        session?.tasks.delete(message.taskId);
        session?.send({ type: 'task_cancelled', task_id: message.taskId, reason: message.reason });
        return;
      case 'steer':
        if (!session?.profile?.supportsExtensions || !session.tasks.has(message.taskId)) return;
        await conversations.deliverSteers(message.taskId, (text) =>
          session.send({ type: 'steer', task_id: message.taskId, text }),
        );
        return;
      case 'approval': {
        if (!session) return;
        const approval = await conversations.readApproval(message.taskId, message.approvalId);
        if (approval) sendDecision(session, approval);
        return;
      }
      case 'drain':
        if (!session) return;
        session.draining = message.draining;
        if (message.draining) session.send({ type: 'drain', reason: message.reason });
        return;
      case 'replaced':
        await workers.onNewerSession(message.agentId, message.sessionId);
        return;
      default:
        message satisfies never;
    }
  }

  #onWorkerChange(workerId: string): void {
    const { workers, broadcaster, clock, logger } = this.#options;
    this.#changedWorkers.add(workerId);
    if (this.#changedWorkers.size > 1) return;
    clock.schedule(CHANGE_BATCH_MS, () => {
      const changedIds = new Set(this.#changedWorkers);
      this.#changedWorkers.clear();
      if (broadcaster.readerCount === 0) return;
      workers
        .listViews(changedIds.size === 1 ? workerId : undefined)
        .then((views) =>
          views
            .filter((one) => changedIds.has(one.agent_id))
            .forEach((one) => broadcaster.publishUnstored('worker', one)),
        )
        .catch((error: unknown) => logger.error({ err: error }, 'changes of workers could not be read'));
    });
  }
}
