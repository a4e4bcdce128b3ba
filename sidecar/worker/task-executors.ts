/**
 * Creates the task executors and their parts, from prompts to tools, and the environment of commands. This is most of the program, and a
 * connected worker without a task needs none of it, so `start-worker.ts` loads this module while the first task's files are checked out.
 */
import { findToolchains, type Toolchains } from '../workspace/commands/toolchains.ts';
import type { Config } from '../base/config/schema.ts';
import { LocalExecutionEnvironment } from '../workspace/local-environment.ts';
import {
  OllamaExecutor,
  type ExecuteConfig,
  type OllamaExecutorDeps,
} from '../solving/executors/ollama-executor.ts';
import { chooseRoute } from '../solving/ways/routing.ts';
import { ShellExecutor } from '../solving/executors/shell-executor.ts';
import type { SecretMasker } from '../base/observability/secrets.ts';
import type { Clock, ExecutionEnvironment, Logger, OnProgress } from '../base/ports.ts';
import type { Task } from '../base/protocol/task.ts';
import { buildEnvironmentOptions } from '../solving/task/environment-options.ts';
import { findHomeFolder } from '../base/system/home-folder.ts';
import type { TaskControl } from '../solving/task/task-control.ts';
import { provideDependencies } from '../workspace/prepare-commands.ts';
import {
  isBuildFolder,
  createEmptyDependencies,
  type SharedDependencies,
} from '../workspace/shared-dependencies.ts';
import type { PreparedWorkspace } from '../workspace/task-workspace.ts';
import type { WorkerFolders } from './folders.ts';
import { type Outcome, success } from '../base/values/outcome.ts';
import type { TaskExecutor } from '../solving/run-ports.ts';
import { openTaskSession } from './task-session.ts';

export interface TaskExecutorsOptions {
  config: Config;
  logger: Logger;
  clock: Clock;
  folders: WorkerFolders;
  masker: SecretMasker;
  /** Whether commands run in bubblewrap. */
  isSandboxed: boolean;
  /** The parts that only tasks with a model need. */
  model: Omit<OllamaExecutorDeps, 'config' | 'logger' | 'clock' | 'openSession'>;
}

export interface TaskExecutors {
  /** Returns the executor of a task; a shell command needs no model. */
  executorOf: (task: Task) => TaskExecutor<ExecuteConfig>;
  /** Opens the environment of a task's commands. Fails with the code `workspace_prepare_failed`. */
  openEnvironment: (
    workspace: PreparedWorkspace,
    run: { emit: OnProgress; signal: AbortSignal },
  ) => Promise<Outcome<ExecutionEnvironment>>;
}

/** Creates the executors of a worker. */
export async function createTaskExecutors(options: TaskExecutorsOptions): Promise<TaskExecutors> {
  const { config, logger, clock, folders, masker, model } = options;
  const { sessionsDir } = folders;
  const settings = pickReplaySettings(config);
  const openSession = (task: Task, control: TaskControl) =>
    openTaskSession({ sessionsDir, settings, clock, mask: masker, logger }, task, control);
  const deps = { config, logger, clock, openSession };
  const ollamaExecutor = new OllamaExecutor({ ...deps, ...model });
  const shellExecutor = new ShellExecutor(deps);
  return {
    executorOf: (task) => (chooseRoute(task, config).kind === 'shell' ? shellExecutor : ollamaExecutor),
    openEnvironment: (workspace, run) => openEnvironment(options, workspace, run),
  };
}

/** Returns the settings that influence how a task runs, without machines, folders or secrets. */
function pickReplaySettings({
  model,
  limits,
  routing,
  solving,
  brief,
  approval,
  tools,
  ollama,
}: Config): object & {
  [key: string]: unknown;
} {
  return {
    model: { toolMode: model.toolMode },
    limits,
    routing,
    solving,
    brief,
    approval,
    tools: { outputLimits: tools.outputLimits, lineLimits: tools.lineLimits },
    ollama: { maxContextTokens: ollama.maxContextTokens, streamAgentic: ollama.streamAgentic },
  };
}

async function openEnvironment(
  options: TaskExecutorsOptions,
  workspace: PreparedWorkspace,
  { emit, signal }: { emit: OnProgress; signal: AbortSignal },
): Promise<Outcome<ExecutionEnvironment>> {
  const { config, folders, isSandboxed, clock, logger } = options;
  const { share, prepare } = config.workspace;
  const dependencies = await provideDependencies({
    workspace,
    share,
    prepare,
    cacheDir: folders.cacheDir,
    sandboxed: isSandboxed,
    openEnvironment: () => createEnvironment(options, workspace, createEmptyDependencies()),
    onEvent: emit,
    signal,
    clock,
    logger,
  });
  if (!dependencies.ok) return dependencies;
  const toolchains = isSandboxed && (await toolchainsOf(options, workspace, dependencies.value));
  if (!toolchains) return success(createEnvironment(options, workspace, dependencies.value));
  for (const text of toolchains.advice) {
    logger.warn({}, text);
    emit({ event_type: 'status', text, timestamp: clock.now() });
  }
  return success(createEnvironment(options, workspace, dependencies.value, toolchains));
}

const toolchainsOf = (
  { config, folders }: TaskExecutorsOptions,
  { dir }: PreparedWorkspace,
  { sharedFolders }: SharedDependencies,
): Promise<Toolchains> =>
  findToolchains({
    root: dir,
    sharedFolders,
    hiddenPaths: listHiddenPaths(folders),
    readablePaths: config.sandbox.read,
    home: findHomeFolder(),
    variables: process.env,
  });

const listHiddenPaths = ({ stateDir, worktreesDir, cacheDir, sessionsDir }: WorkerFolders): string[] => [
  stateDir,
  worktreesDir,
  cacheDir,
  sessionsDir,
];

/**
 * Opens the environment of commands. The worker's own folders are hidden; processes are marked, so that the next start
 * finds the processes of a killed worker.
 */
function createEnvironment(
  { config, folders, logger }: TaskExecutorsOptions,
  workspace: PreparedWorkspace,
  { sharedFolders, readOnlyPaths, projectPath, copiedFolders }: SharedDependencies,
  toolchains?: Toolchains,
): LocalExecutionEnvironment {
  return new LocalExecutionEnvironment({
    ...buildEnvironmentOptions(config),
    workspace: workspace.dir,
    subfolder: workspace.subfolder,
    onWrite: (path) => workspace.onWrite(path),
    gitDirs: workspace.gitDirs,
    sharedFolders,
    projectPath,
    ownDependencies: copiedFolders.filter((path) => !isBuildFolder(path)),
    readOnlyPaths: [...config.sandbox.read, ...readOnlyPaths, ...(toolchains?.readablePaths ?? [])],
    offlineVariables: toolchains?.variables,
    privateCaches: toolchains?.caches,
    emptyFolders: toolchains?.emptyFolders,
    hiddenPaths: listHiddenPaths(folders),
    mark: folders.processMark,
    logger,
  });
}
