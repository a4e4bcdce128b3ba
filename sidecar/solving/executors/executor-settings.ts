/** Declares the dependencies of executors and the options of one execution. */
import { configSchema, type Config, type ConfigInput } from '../../base/config/schema.ts';
import type { ModelCatalog } from '../../model/catalog.ts';
import type { Scheduler } from '../../model/servers/scheduler.ts';
import { silentLogger } from '../../base/observability/silent-logger.ts';
import type { AskUser, Clock, ExecutionEnvironment, Logger } from '../../base/ports.ts';
import type { Task } from '../../base/protocol/task.ts';
import { systemClock } from '../../base/system/clock.ts';
import type { MachineMemory } from '../../base/system/machine-memory.ts';
import { ToolLists } from '../../tools/mcp/tool-lists.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { PreparedWorkspace } from '../../workspace/task-workspace.ts';
import type { TaskControl } from '../task/task-control.ts';
import { checkTools } from '../task/toolset/check-tools.ts';
import type { Ledger, RunSession, TaskTrace, Telemetry } from '../run-ports.ts';
import type { ModelServer } from '../../model/chat.ts';

/** Dependencies of every executor. All have defaults, so that an executor also works without settings. */
export interface ExecutorDeps {
  /** Settings by the keys of the configuration file. */
  config?: ConfigInput;
  clock?: Clock;
  logger?: Logger;
  /** Opens the session folder of a task; if undefined, tasks leave no folder. */
  openSession?: (task: Task, control: TaskControl) => Promise<RunSession | undefined>;
}

/** Additional dependencies of an executor that uses a model. */
export interface OllamaExecutorDeps extends ExecutorDeps {
  catalog?: ModelCatalog;
  /** Ledger that is checked before every call of a model; if undefined, spending is not limited. */
  ledger?: Ledger;
  registry?: ToolRegistry;
  createServer?: (baseUrl: string) => ModelServer;
  /** Memory of the machine of the model servers, if known. */
  machine?: MachineMemory | undefined;
  /** Assigns calls to model servers, and puts tasks on hold while all servers are down. If undefined, these tasks fail. */
  scheduler?: Scheduler;
  /** Counter of answers by the parser layer that read them. */
  telemetry?: Pick<Telemetry, 'countAnswer'>;
  /** Asks users; if undefined, the policy `auto` applies. */
  askUser?: AskUser;
}

/** Options of one execution. The workspace is `repo_dir`, or else `workspace`, or else an empty temporary folder. */
export interface ExecuteConfig {
  repo_dir?: string;
  workspace?: string | PreparedWorkspace;
  /** Environment of tools and checks. It is cleaned up at the end. Default: a `LocalExecutionEnvironment` with the configured settings. */
  environment?: ExecutionEnvironment;
  ollama_url?: string;
  /** Default model of tasks that do not name one. */
  model?: string;
  /** Aborted to cancel the task. */
  signal?: AbortSignal;
  /** Handle that stops, steers and resumes the task; created if undefined. */
  control?: TaskControl;
  /** Sequence number of the last event that an earlier run of the task sent. */
  last_seq?: number;
  /** Session that records messages and calls. `execute` ends it. */
  session?: RunSession;
  /** Trace of the calls of models and tools. The caller ends it. */
  trace?: TaskTrace;
}

/** Dependencies of executors, with all defaults filled in. */
export interface ExecutorSettings extends Omit<OllamaExecutorDeps, 'config'> {
  config: Config;
  /** Cached tool lists of MCP servers, from earlier tasks. */
  toolLists: ToolLists;
  clock: Clock;
  logger: Logger;
}

/** Fills in the defaults. Throws if the schema rejects a setting or a setting names an unknown tool. */
export function completeSettings(deps: OllamaExecutorDeps): ExecutorSettings {
  const config = configSchema.parse(deps.config ?? {});
  checkTools(config);
  const clock = deps.clock ?? systemClock;
  return { ...deps, config, toolLists: new ToolLists(clock), clock, logger: deps.logger ?? silentLogger };
}
