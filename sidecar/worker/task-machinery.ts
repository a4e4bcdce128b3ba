/**
 * What tasks are run with: the executor and everything behind it, from prompts to tools, and the environment of their
 * commands. It is most of the program and nothing that a worker needs to be connected, so `start-worker` loads this
 * module apart: while the first task's files are checked out, or soon after the start.
 */
import { join } from 'node:path';
import { openPrefillRates } from '../brief/prefill-rates.ts';
import type { Config } from '../config/schema.ts';
import { OllamaExecutor, type ExecuteConfig } from '../executors/ollama-executor.ts';
import { routeFor } from '../executors/routing.ts';
import { ShellExecutor } from '../executors/shell/shell-executor.ts';
import type { CostLedger } from '../ledger/cost-ledger.ts';
import type { ModelCatalog } from '../model/catalog.ts';
import type { Scheduler } from '../model/servers/scheduler.ts';
import type { SecretMasker } from '../observability/secrets.ts';
import type {
  AskPerson,
  Clock,
  Logger,
  ModelServer,
  TaskExecutor,
  TaskJournal,
  Telemetry,
} from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import type { Folders } from './folders.ts';
import { sessionOpener } from './sessions.ts';
import { openTaskEnvironment } from './task-environment.ts';

export interface MachineryOptions {
  config: Config;
  logger: Logger;
  clock: Clock;
  createServer: (baseUrl: string) => ModelServer;
  scheduler: Scheduler;
  telemetry: Telemetry | undefined;
  journal: (task: Task) => TaskJournal;
  ledger: CostLedger;
  catalog: ModelCatalog;
  folders: Folders;
  masker: SecretMasker;
  askPerson: AskPerson;
}

export interface TaskMachinery {
  /** Who runs a task: a shell command needs no model. */
  executorFor: (task: Task) => TaskExecutor<ExecuteConfig>;
  openEnvironment: typeof openTaskEnvironment;
}

export async function createTaskMachinery(options: MachineryOptions): Promise<TaskMachinery> {
  const { folders, masker, ...deps } = options;
  const { config, logger, clock, journal } = deps;
  const { sessionsDir } = folders;
  const openSession = sessionOpener({ config, logger, clock, sessionsDir, journal, masker });
  const prefillRates = await openPrefillRates(join(folders.stateDir, 'prefill-rates.json'));
  const withModel = new OllamaExecutor({ ...deps, openSession, prefillRates });
  const shell = new ShellExecutor({ config, logger, clock, journal, openSession });
  return {
    executorFor: (task) => (routeFor(task, config).kind === 'shell' ? shell : withModel),
    openEnvironment: openTaskEnvironment,
  };
}
