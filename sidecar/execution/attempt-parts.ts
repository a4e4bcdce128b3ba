/**
 * What an executor is made of and what an attempt is built from: the vocabulary of the files that open attempts.
 */
import type { Config, ConfigInput } from '../config/schema.ts';
import type { ModelCatalog } from '../model/catalog.ts';
import type {
  AskPerson,
  Clock,
  ExecutionEnvironment,
  Ledger,
  Logger,
  ModelServer,
  OnProgress,
  RunSession,
  TaskJournal,
  TaskTrace,
  Telemetry,
} from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { PreparedWorkspace } from '../workspace/task-workspace.ts';
import type { RunLimits } from './run-limits.ts';
import type { RunTotals } from './run-totals.ts';
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
  /** Opens the folder that a task leaves; without it none is left. */
  openSession?: (task: Task) => Promise<RunSession | undefined>;
  /** Counts answers by the layer that read them. */
  telemetry?: Pick<Telemetry, 'answer'>;
  /** A line to people; without one the policy `auto` applies. */
  askPerson?: AskPerson;
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
  /** Hears and keeps what is said; ended by `execute`, not by `open`. */
  session?: RunSession;
  /** Hears calls of model and tools; ended by whoever began it. */
  trace?: TaskTrace;
}

/** Everything that the rooms below need, with the defaults filled in. */
export interface ExecutorSettings extends Omit<OllamaExecutorDeps, 'config'> {
  config: Config;
  clock: Clock;
  logger: Logger;
}

/** What every kind of attempt is built from. */
export interface AttemptParts {
  settings: ExecutorSettings;
  task: Task;
  config: ExecuteConfig;
  emit: OnProgress;
  control: TaskControl;
  limits: RunLimits;
  totals: RunTotals;
  workspace: PreparedWorkspace;
  env: ExecutionEnvironment;
  /** Writes the time that the task has used beside what is said and done. */
  journal: TaskJournal | undefined;
  close: () => Promise<void>;
}
