/**
 * What a task's commands run in: its workspace with the dependencies that it needs, everything of the worker's own
 * hidden, processes marked so that the worker's next life finds what was left of them.
 */
import type { Config } from '../config/schema.ts';
import { LocalExecutionEnvironment } from '../local-environment.ts';
import { environmentOptions } from '../task/environment-options.ts';
import type { Clock, ExecutionEnvironment, Logger, OnProgress, Outcome } from '../ports.ts';
import { provideDependencies } from '../workspace/prepare-commands.ts';
import { isBuildFolder, nothingShared, type SharedDependencies } from '../workspace/shared-dependencies.ts';
import type { PreparedWorkspace } from '../workspace/task-workspace.ts';
import type { Folders } from './folders.ts';
import { processMark } from './orphans.ts';

export interface TaskEnvironmentOptions {
  config: Config;
  folders: Folders;
  sandboxed: boolean;
  clock: Clock;
  logger: Logger;
}

/** Opens the environment of one task; failure code `workspace_prepare_failed`. */
export async function openTaskEnvironment(
  options: TaskEnvironmentOptions,
  workspace: PreparedWorkspace,
  { emit, signal }: { emit: OnProgress; signal: AbortSignal },
): Promise<Outcome<ExecutionEnvironment>> {
  const { config, folders, sandboxed, clock, logger } = options;
  const { share, prepare } = config.workspace;
  const dependencies = await provideDependencies({
    workspace,
    share,
    prepare,
    cacheDir: folders.cacheDir,
    sandboxed,
    openEnvironment: () => environment(options, workspace, nothingShared()),
    onEvent: emit,
    signal,
    clock,
    logger,
  });
  if (!dependencies.ok) return dependencies;
  return { ok: true, value: environment(options, workspace, dependencies.value) };
}

function environment(
  { config, folders, logger }: TaskEnvironmentOptions,
  workspace: PreparedWorkspace,
  { sharedFolders, readOnlyPaths, copied }: SharedDependencies,
): LocalExecutionEnvironment {
  const configured = environmentOptions(config);
  return new LocalExecutionEnvironment({
    ...configured,
    workspace: workspace.dir,
    gitDirs: workspace.gitDirs,
    sharedFolders,
    ownDependencies: copied.filter((path) => !isBuildFolder(path)),
    readOnlyPaths: [...config.sandbox.read, ...readOnlyPaths],
    hiddenPaths: [folders.stateDir, folders.cacheDir, folders.sessionsDir],
    mark: processMark(folders),
    logger,
  });
}
