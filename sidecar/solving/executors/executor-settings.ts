/** The dependencies of executors, and the parameters of one execution. */
import { configSchema, type Config, type ConfigInput } from '../../base/config/schema.ts';
import type { ModelCatalog } from '../../model/catalog.ts';
import type { Scheduler } from '../../model/servers/scheduler.ts';
import { silentLogger } from '../../base/observability/silent-logger.ts';
import type {
  AskPerson,
  Clock,
  ExecutionEnvironment,
  Ledger,
  Logger,
  ModelServer,
  RunSession,
  TaskJournal,
  TaskTrace,
  Telemetry,
} from '../../base/ports.ts';
import type { Task } from '../../base/protocol/task.ts';
import { systemClock } from '../../base/system/clock.ts';
import type { MachineMemory } from '../../base/system/machine-memory.ts';
import { ToolLists } from '../../tools/mcp/tool-lists.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { PreparedWorkspace } from '../../workspace/task-workspace.ts';
import type { TaskControl } from '../task/task-control.ts';
import { checkTools } from '../task/toolset/check-tools.ts';

/** The dependencies of every executor; everything has a default, so that an executor works on a laptop as it is. */
export interface ExecutorDeps {
  /** Settings by the keys of the configuration file. */
  config?: ConfigInput;
  /** Durable memory of a task, so that it can continue after a crash. */
  journal?: (task: Task) => TaskJournal;
  clock?: Clock;
  logger?: Logger;
  /** Opens the folder that a task leaves; without it none is left. */
  openSession?: (task: Task) => Promise<RunSession | undefined>;
}

/** The further dependencies of an executor that uses a model. */
export interface OllamaExecutorDeps extends ExecutorDeps {
  catalog?: ModelCatalog;
  /** Asked before every call of a model; without one spending is not limited. */
  ledger?: Ledger;
  registry?: ToolRegistry;
  createServer?: (baseUrl: string) => ModelServer;
  /** The machine of the model servers, if known. */
  machine?: MachineMemory | undefined;
  /** Says which call goes to which model server when, and holds tasks while all are down. Without it they fail. */
  scheduler?: Scheduler;
  /** Counts answers by the layer that read them. */
  telemetry?: Pick<Telemetry, 'answer'>;
  /** Asks users; without one the policy `auto` applies. */
  askPerson?: AskPerson;
}

/** The parameters of one execution. The workspace is `repo_dir`, else `workspace`, else an empty scratch folder. */
export interface ExecuteConfig {
  repo_dir?: string;
  workspace?: string | PreparedWorkspace;
  /** Where tools and checks run; default: a `LocalExecutionEnvironment` by the configuration. Cleaned up at the end. */
  environment?: ExecutionEnvironment;
  ollama_url?: string;
  /** Model to use if the task names none. */
  model?: string;
  /** Aborting it cancels the task. */
  signal?: AbortSignal;
  /** Stops and steers the task; made if none is given. */
  control?: TaskControl;
  /** Sequence number of the last event that was sent for this task before. */
  last_seq?: number;
  /** Records what is said; ended by `execute`, not by `open`. */
  session?: RunSession;
  /** Observes calls of model and tools; ended by its owner. */
  trace?: TaskTrace;
}

/** The same with the defaults filled in. */
export interface ExecutorSettings extends Omit<OllamaExecutorDeps, 'config'> {
  config: Config;
  /** The tools that MCP servers listed in earlier tasks. */
  toolLists: ToolLists;
  clock: Clock;
  logger: Logger;
}

/** Throws for settings that the schema refuses, or that name tools which are not there. */
export function completeSettings(deps: OllamaExecutorDeps): ExecutorSettings {
  const config = configSchema.parse(deps.config ?? {});
  checkTools(config);
  const clock = deps.clock ?? systemClock;
  return { ...deps, config, toolLists: new ToolLists(clock), clock, logger: deps.logger ?? silentLogger };
}
