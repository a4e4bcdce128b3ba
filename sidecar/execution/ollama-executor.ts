/**
 * Runs a task with a local model: agentic ones in the ReAct loop, simple ones as one streamed answer.
 * `execute` is the whole job, checks included; `open` gives the attempt for `executeWithVerification`.
 */
import { systemClock } from '../system/clock.ts';
import { configSchema } from '../config/schema.ts';
import type { OnProgress, TaskExecutor } from '../ports.ts';
import type { TaskResult } from '../protocol/result.ts';
import { taskSchema, type Task, type TaskInput } from '../protocol/task.ts';
import type { AttemptOpener } from './attempt.ts';
import type { ExecuteConfig, ExecutorSettings, OllamaExecutorDeps } from './attempt-parts.ts';
import { executeWithVerification } from './execute-with-verification.ts';
import { openAttempt } from './open-attempt.ts';
import { silentLogger } from '../observability/silent-logger.ts';
import { ProgressEmitter } from './progress-emitter.ts';

export type { ExecuteConfig, OllamaExecutorDeps } from './attempt-parts.ts';

export class OllamaExecutor implements AttemptOpener<ExecuteConfig>, TaskExecutor<ExecuteConfig> {
  readonly #settings: ExecutorSettings;

  constructor(deps: OllamaExecutorDeps = {}) {
    this.#settings = {
      ...deps,
      config: configSchema.parse(deps.config ?? {}),
      clock: deps.clock ?? systemClock,
      logger: deps.logger ?? silentLogger,
    };
  }

  /** Runs and verifies a task. Never rejects for an expected failure: that is a result with `status: failed`. */
  async execute(
    task: TaskInput,
    config: ExecuteConfig = {},
    onProgress: OnProgress = () => undefined,
  ): Promise<TaskResult> {
    const { clock, logger } = this.#settings;
    const progress = new ProgressEmitter({ onProgress, clock, logger, lastSeq: config.last_seq });
    const session = config.session ?? (await this.#settings.openSession?.(taskSchema.parse(task)));
    let result: TaskResult | undefined;
    try {
      result = await executeWithVerification(this, task, { ...config, session }, progress.emit);
      return result;
    } finally {
      progress.flush();
      await session?.end(result);
    }
  }

  open(task: Task, config: ExecuteConfig, emit: OnProgress) {
    return openAttempt(this.#settings, task, config, emit);
  }
}
