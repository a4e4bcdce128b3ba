/**
 * What tasks are run with: the executor and everything behind it, from prompts to tools, and the environment of their
 * commands. It is most of the program and nothing that a worker needs to be connected, so `start-worker` loads this
 * module apart: while the first task's files are checked out, or soon after the start.
 */
import type { Config } from '../config/schema.ts';
import { OllamaExecutor } from '../execution/ollama-executor.ts';
import type { CostLedger } from '../ledger/cost-ledger.ts';
import type { ModelCatalog } from '../model/catalog.ts';
import type { SecretMasker } from '../observability/secrets.ts';
import type { AskPerson, Clock, Logger, ModelServer, TaskJournal, Telemetry } from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import type { Folders } from './folders.ts';
import { sessionOpener } from './sessions.ts';
import { openTaskEnvironment } from './task-environment.ts';

export interface MachineryOptions {
  config: Config;
  logger: Logger;
  clock: Clock;
  createServer: (baseUrl: string) => ModelServer;
  telemetry: Telemetry | undefined;
  journal: (task: Task) => TaskJournal;
  ledger: CostLedger;
  catalog: ModelCatalog;
  folders: Folders;
  masker: SecretMasker;
  askPerson: AskPerson;
}

export interface TaskMachinery {
  executor: Pick<OllamaExecutor, 'execute'>;
  openEnvironment: typeof openTaskEnvironment;
}

export function createTaskMachinery(options: MachineryOptions): TaskMachinery {
  const { folders, masker, ...deps } = options;
  const { config, logger, clock, journal } = deps;
  const { sessionsDir } = folders;
  const openSession = sessionOpener({ config, logger, clock, sessionsDir, journal, masker });
  return { executor: new OllamaExecutor({ ...deps, openSession }), openEnvironment: openTaskEnvironment };
}
