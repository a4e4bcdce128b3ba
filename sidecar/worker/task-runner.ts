/**
 * Runs one task from the queue to the outbox: workspace, execution, result. However the run ends, its outcome is recorded, and its
 * resources are closed.
 */
import type { Config } from '../base/config/schema.ts';
import { runEvery, waitAtMost } from '../base/system/clock.ts';
import { errorMessage } from '../base/values/errors.ts';
import type { HubLink } from './hub-link/hub-link.ts';
import type { SecretMasker } from '../base/observability/secrets.ts';
import type { Clock, Logger, OnProgress } from '../base/ports.ts';
import { failureCodeOf, mayWorkElsewhere } from '../base/protocol/failure-codes.ts';
import type { TaskResult } from '../base/protocol/result.ts';
import type { TaskEnding, TaskRecords } from '../base/storage/task-records.ts';
import { StorageError } from '../base/storage/storage-error.ts';
import { translateToSubfolder } from '../workspace/subfolder.ts';
import type { PreparedWorkspace } from '../workspace/task-workspace.ts';
import type { ActiveTask } from './active-tasks.ts';
import { waitForDisk } from './capacity.ts';
import type { WorkerFolders } from './folders.ts';
import type { TaskExecutors } from './task-executors.ts';
import { maskResult } from './mask-result.ts';
import { buildFailedFrame, buildTerminalFrame } from './terminal-frame.ts';
import { reportUsage, usageOf, type TaskTotalsReader } from './usage-report.ts';
import type { Outcome } from '../base/values/outcome.ts';
import type { TaskTracer } from './traces.ts';
import type { Telemetry } from '../solving/run-ports.ts';

export interface TaskRunnerOptions {
  config: Config;
  /** Loads the executors at its first call. */
  loadExecutors: () => Promise<TaskExecutors>;
  records: TaskRecords;
  link: Pick<HubLink, 'sendProgress' | 'flush' | 'release' | 'hub'>;
  ledger: TaskTotalsReader;
  masker: SecretMasker;
  folders: WorkerFolders;
  /** Returns how much disk space is missing, as text. */
  explainDiskShortage: () => string | undefined;
  clock: Clock;
  logger: Logger;
  telemetry?: Telemetry;
  tracer?: TaskTracer;
  /** Reads the state of the model servers and reports it to the hub. */
  checkServers: () => Promise<void>;
}

/** Codes of failures after which another worker may still be able to run the task's model. */
const UNFIT_MODEL_CODES = new Set(['model_not_found', 'model_out_of_memory', 'model_load_failed']);
/** Interval of the status of a queued task; well below the time after which a hub takes back a task without progress. */
const QUEUED_INTERVAL_MS = 120_000;
/** How long a task may wait until git has found edits in its source, which takes seconds in a large repository. */
const MAX_EDITS_WAIT_MS = 250;

export class TaskRunner {
  readonly #options: TaskRunnerOptions;

  constructor(options: TaskRunnerOptions) {
    this.#options = options;
  }

  /**
   * Emits at intervals a status event that the task waits for its turn; otherwise its hub would regard the task as
   * lost. The returned function stops that.
   */
  emitQueued(active: ActiveTask): () => void {
    const { clock, logger } = this.#options;
    const emit = this.#createEmitter(active);
    return runEvery(clock, QUEUED_INTERVAL_MS, () => {
      if (active.state !== 'queued' || active.control.stopReason !== undefined) return;
      try {
        emit({ event_type: 'status', text: 'Queued on the worker, waiting for other tasks to finish' });
      } catch (error) {
        logger.error({ err: error, task_id: active.task.task_id }, 'A status could not be sent');
      }
    });
  }

  /**
   * Runs a task to its end and records its outcome. Rejects with `StorageError`, after which no write is safe, or with the
   * error of a module that could not be loaded.
   */
  async run(active: ActiveTask): Promise<void> {
    const { records, logger, tracer } = this.#options;
    const { task } = active;
    const log = logger.child({ task_id: task.task_id });
    await this.#waitForDisk(active, log);
    // The task has not begun: it stays in the database for the next start.
    if (active.control.stopReason === 'shutdown') return;
    active.state = 'running';
    // Only an earlier run can have left a workspace whose path the database has.
    const isNew = records.get(task.task_id)?.state !== 'running';
    records.setRunning(task.task_id);
    active.trace = tracer?.beginTrace({ ...task, generation: active.generation }, { resumed: !isNew });
    log.info({ generation: active.generation }, 'Task started');
    if (active.control.stopReason === 'cancelled')
      return this.#finish(active, this.#buildReturnEnding(active) ?? { outcome: 'cancelled' }, log);
    const workspace = await this.#prepare(active, isNew);
    if (active.isSuspended) return this.#suspend(active, log);
    if (!workspace.ok) {
      const { code, message } = workspace.failure;
      return this.#finish(active, this.#buildFailedEnding(active, `${code}: ${message}`), log);
    }
    const ending = await this.#runTask(active, workspace.value, log);
    if (active.isSuspended) return this.#suspend(active, log);
    // The result is on disk before the workspace is removed: a worker that is killed in between still has the result or
    // the workspace.
    this.#finish(active, this.#buildReturnEnding(active) ?? ending, log);
    await this.#release(ending, workspace.value, log);
  }

  async #waitForDisk(active: ActiveTask, log: Logger): Promise<void> {
    const { config, clock, explainDiskShortage } = this.#options;
    const emit = this.#createEmitter(active);
    await waitForDisk({
      explainShortage: explainDiskShortage,
      limitMs: config.limits.holdTimeoutMs,
      clock,
      stopSignal: active.control.stopping,
      emit: (text, onHold) => {
        log.warn({}, text);
        emit({ event_type: 'status', text, on_hold: onHold });
      },
    });
  }

  /** Leaves workspace and records, so that the next start resumes the task. */
  #suspend(active: ActiveTask, log: Logger): void {
    const { task, generation, trace } = active;
    active.state = 'ended';
    trace?.end({ outcome: 'aborted', generation });
    log.info({ generation }, 'The task resumes at the next start of the worker');
    this.#options.link.release(task.task_id);
  }

  #finish(active: ActiveTask, proposedEnding: TaskEnding, log: Logger): void {
    const { records, link } = this.#options;
    const { task, nextAssignment } = active;
    const { result } = proposedEnding;
    const error = (proposedEnding.frame?.type === 'task_failed' && proposedEnding.frame.error) || undefined;
    const refuse = () => {
      records.finish(task.task_id, proposedEnding);
      link.flush();
    };
    const isHandedBack =
      error !== undefined &&
      mayWorkElsewhere(error) &&
      link.hub.returnMisfit({ taskId: task.task_id, error, refuse });
    const ending: TaskEnding = isHandedBack ? { outcome: 'aborted' } : proposedEnding;
    const { outcome } = ending;
    if (isHandedBack) {
      const text = `This worker cannot run the task and returns it to the hub (${error})`;
      this.#createEmitter(active)({ event_type: 'status', text });
    }
    records.finish(task.task_id, ending);
    active.state = 'ended';
    this.#options.telemetry?.countEndedTask(outcome, result);
    active.trace?.end({ outcome, generation: active.generation, result, error });
    log.info({ outcome, reason: result?.termination_reason, error }, 'Task ended');
    if (ending.frame) link.flush();
    // If the hub assigned the task again, it does not regard the task as cancelled, so nothing is released or reported.
    else if (!nextAssignment) {
      link.release(task.task_id);
      if (outcome === 'cancelled') reportUsage(this.#options, task.task_id);
    }
  }

  async #runTask(active: ActiveTask, workspace: PreparedWorkspace, log: Logger): Promise<TaskEnding> {
    try {
      const emit = this.#createEmitter(active);
      const { signal } = active.control;
      const { executorOf, openEnvironment } = await this.#options.loadExecutors();
      const env = await openEnvironment(workspace, { emit, signal });
      if (!env.ok) return this.#buildFailedEnding(active, `${env.failure.code}: ${env.failure.message}`);
      for (const text of listRemarks(workspace)) emit({ event_type: 'status', text });
      const notifyEdits = this.#createEditsNote(workspace, emit);
      await notifyEdits(MAX_EDITS_WAIT_MS);
      const result = await executorOf(active.task).execute(
        active.task,
        {
          workspace: translateToSubfolder(workspace),
          environment: env.value,
          control: active.control,
          last_seq: active.lastSeq,
          trace: active.trace,
        },
        emit,
      );
      await notifyEdits();
      await this.#markUnfitTask(active, result);
      return this.#buildEnding(active, result);
    } catch (error) {
      if (error instanceof StorageError) throw error;
      log.error({ err: error }, 'A task ended with an unexpected error');
      return this.#buildFailedEnding(active, `internal_error: ${errorMessage(error)}`);
    }
  }

  /**
   * Returns a function that emits, once, a note on edits in the source that are not part of the task. It waits at most
   * `limitMs` for git's status of the source.
   */
  #createEditsNote(
    { sourceDirty }: PreparedWorkspace,
    emit: OnProgress,
  ): (limitMs?: number) => Promise<void> {
    let isDirty: boolean | undefined;
    let isNotified = false;
    const statusCheck = sourceDirty.then((hasEdits) => {
      isDirty = hasEdits;
    });
    return async (limitMs) => {
      await (limitMs === undefined ? statusCheck : waitAtMost(this.#options.clock, statusCheck, limitMs));
      if (isDirty !== true || isNotified) return;
      isNotified = true;
      const text = 'The repository has uncommitted edits; they are not part of this task';
      emit({ event_type: 'status', text });
    };
  }

  /**
   * Marks a task for another worker if this worker cannot run the task's model and has done nothing for the task. The
   * hub first gets the list of models that this worker can run.
   */
  async #markUnfitTask(active: ActiveTask, { status, error = '' }: TaskResult): Promise<void> {
    const { link, checkServers } = this.#options;
    const code = failureCodeOf(error) ?? '';
    if (status !== 'failed' || !UNFIT_MODEL_CODES.has(code) || !link.hub.features.worker_status) return;
    // A hub cannot choose another worker for a task that names no model, and this worker would choose the same model
    // again.
    const isNamed = active.task.routing_decision?.selected_model !== undefined;
    if (code === 'model_not_found' && !isNamed) return;
    await checkServers();
    active.returnReason = `worker_model_unfit: ${error.slice(error.indexOf(code))}`;
  }

  /**
   * Prepares the workspace. The modules for that are loaded at the first task, since a waiting worker does not need
   * them in memory.
   */
  async #prepare(active: ActiveTask, isNew: boolean): Promise<Outcome<PreparedWorkspace>> {
    const { prepareWorkspace } = await import('../workspace/prepare-workspace.ts');
    const { createProtection } = await import('../workspace/files/protected-paths.ts');
    const { config, folders, logger, clock, loadExecutors } = this.#options;
    const { cacheDir, worktreesDir } = folders;
    return prepareWorkspace({
      // A failure is reported when the executors are used.
      onCheckout: () => void loadExecutors().catch(() => undefined),
      task: active.task,
      discardsEarlier: isNew,
      cacheDir,
      worktreesDir,
      allowedRepos: config.workspace.allowedRepos,
      minFreeDiskBytes: config.worker.minFreeDiskBytes,
      push: config.workspace.push,
      warmTrees: config.workspace.warmTrees,
      protectionOf: createProtection(config.tools.protectedPaths),
      signal: active.control.signal,
      logger,
      clock,
    });
  }

  /**
   * Returns a function that sends events to the hub, with secrets masked and with the task's usage if it has grown.
   * Events of the runner itself get the next sequence numbers.
   */
  #createEmitter(active: ActiveTask): OnProgress {
    const { link, masker, clock, telemetry, ledger } = this.#options;
    return ({ details, ...event }) => {
      telemetry?.countEvent(event);
      active.lastSeq = event.seq ?? active.lastSeq + 1;
      const usage = usageOf(ledger, active.task.task_id);
      const hasGrown = usage !== undefined && usage.iterations !== active.reportedCallCount;
      if (hasGrown) active.reportedCallCount = usage.iterations;
      const numberedEvent = {
        timestamp: clock.now(),
        ...event,
        seq: active.lastSeq,
        ...(hasGrown && { used: usage }),
      };
      // Masking whole prompts takes time, so unread details are not masked.
      const isWanted = details !== undefined && link.hub.features.event_details;
      const maskedEvent = masker.maskDeep(isWanted ? { ...numberedEvent, details } : numberedEvent);
      link.sendProgress(active.task.task_id, active.eventDetails.limit(maskedEvent));
    };
  }

  #buildEnding(active: ActiveTask, unmasked: TaskResult): TaskEnding {
    const result = maskResult(unmasked, this.#options.masker);
    if (active.control.stopReason === 'cancelled') return { outcome: 'cancelled', result };
    return { outcome: result.status, result, frame: buildTerminalFrame(this.#assignmentOf(active), result) };
  }

  #buildFailedEnding(active: ActiveTask, error: string): TaskEnding {
    if (active.control.stopReason === 'cancelled') return { outcome: 'cancelled' };
    const frame = buildFailedFrame(this.#assignmentOf(active), this.#options.masker.mask(error));
    return { outcome: 'failed', frame };
  }

  /** Returns the outcome for a task that goes back to its hub as a refusal, which uses no attempt. */
  #buildReturnEnding(active: ActiveTask): TaskEnding | undefined {
    if (active.returnReason === undefined) return undefined;
    return { outcome: 'aborted', frame: buildFailedFrame(this.#assignmentOf(active), active.returnReason) };
  }

  #assignmentOf({ task: { task_id: taskId }, generation }: ActiveTask) {
    return { taskId, generation, used: usageOf(this.#options.ledger, taskId) };
  }

  async #release({ outcome }: TaskEnding, workspace: PreparedWorkspace, log: Logger): Promise<void> {
    // A branch belongs to the repository's owner; the commits of a task without a repository are needed only for a partial result.
    const keepBranch = workspace.repo === undefined ? outcome === 'partial' : outcome !== 'cancelled';
    try {
      await workspace.release({ keepBranch });
    } catch (error) {
      log.warn({ err: error, dir: workspace.dir }, 'A workspace could not be removed; it is pruned later');
    }
  }
}

/** Returns notes for users about the task's workspace. */
function listRemarks({ notes = [], warnings = [], subfolder }: PreparedWorkspace): string[] {
  return [
    ...(subfolder === undefined
      ? []
      : [
          `The task works in the folder ${subfolder} of the repository: paths are relative to this folder, and commands and checks run in it`,
        ]),
    ...[...warnings, ...notes].map((note) => `Warning: ${note}`),
  ];
}
