/**
 * Runs a task with a local model: agentic ones in the ReAct loop, simple ones as one streamed answer (agent.md,
 * Routing). `execute` is the whole job, checks included; `open` gives the attempt for `executeWithVerification`.
 */
import { configSchema, type Config, type ConfigInput } from '../config/schema.ts';
import { systemClock } from '../clock.ts';
import type { ModelCatalog } from '../model/catalog.ts';
import type {
  Clock,
  ExecutionEnvironment,
  Ledger,
  Logger,
  ModelServer,
  OnProgress,
  TaskExecutor,
  TaskJournal,
} from '../ports.ts';
import type { PreparedWorkspace } from '../workspace/task-workspace.ts';
import type { TaskResult } from '../protocol/result.ts';
import type { Task, TaskInput } from '../protocol/task.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { AttemptOpener } from './attempt.ts';
import { executeWithVerification } from './execute-with-verification.ts';
import { openAttempt } from './open-attempt.ts';
import { ProgressEmitter } from './progress-emitter.ts';
import type { TaskControl } from './task-control.ts';

/** What an executor is made of; everything has a default, so that `new OllamaExecutor()` works on a laptop. */
export interface OllamaExecutorDeps {
  /** Settings by the keys of the configuration file. */
  config?: ConfigInput;
  catalog?: ModelCatalog;
  /** Asked before every call of a model; without one spending is not limited. */
  ledger?: Ledger;
  /** Durable memory of a task, so that it can go on after a crash. */
  journal?: (task: Task) => TaskJournal;
  registry?: ToolRegistry;
  clock?: Clock;
  logger?: Logger;
  createServer?: (baseUrl: string) => ModelServer;
  /** Asks a person (kind `question`); without it the model is told to decide itself. */
  askPerson?: (task: Task, question: string) => Promise<string>;
}

/** What one execution needs. The workspace is `repo_dir`, else `workspace`, else an empty scratch folder. */
export interface ExecuteConfig {
  repo_dir?: string;
  workspace?: string | PreparedWorkspace;
  /** Where tools and checks run; default: a `LocalExecutionEnvironment` by the configuration. Cleaned up at the end. */
  environment?: ExecutionEnvironment;
  ollama_url?: string;
  /** Model to use where the task names none. */
  model?: string;
  /** Aborting it cancels the task. */
  signal?: AbortSignal;
  /** Stops and steers the task; made where none is given. */
  control?: TaskControl;
  /** Sequence number of the last event that was sent for this task before. */
  last_seq?: number;
}

/** Everything that the rooms below need, with the defaults filled in. */
export interface ExecutorSettings extends Omit<OllamaExecutorDeps, 'config'> {
  config: Config;
  clock: Clock;
  logger: Logger;
}

const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};

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
    try {
      return await executeWithVerification(this, task, config, progress.emit);
    } finally {
      progress.flush();
    }
  }

  open(task: Task, config: ExecuteConfig, emit: OnProgress) {
    return openAttempt(this.#settings, task, config, emit);
  }
}
