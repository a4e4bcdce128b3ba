/** Opens the parts of one run of a task: limits, wall clock, workspace, environment. */
import { LocalExecutionEnvironment } from '../../workspace/local-environment.ts';
import type { ExecutionEnvironment, OnProgress } from '../../base/ports.ts';
import type { Task } from '../../base/protocol/task.ts';
import type { CleanupStack } from '../../base/system/cleanup-stack.ts';
import { onAbort } from '../../base/system/on-abort.ts';
import { removeFolder } from '../../base/system/remove-folder.ts';
import { findDependencyFolders, isBuildFolder } from '../../workspace/shared-dependencies.ts';
import { openFolderWorkspace } from '../../workspace/folder-workspace.ts';
import type { PreparedWorkspace } from '../../workspace/task-workspace.ts';
import { recordUserAnswers } from '../task/user-answers.ts';
import { muteReplay } from '../task/quiet-replay.ts';
import { computeRunLimits } from '../task/run-limits.ts';
import { RunTotals, addUsageFigures } from '../task/run-totals.ts';
import { openToolset } from '../task/toolset/open-toolset.ts';
import type { TaskControl } from '../task/task-control.ts';
import { recordStartTree } from '../task/start-tree.ts';
import type { TaskRun } from '../task/task-run.ts';
import { buildEnvironmentOptions } from '../task/environment-options.ts';
import type { ExecuteConfig, ExecutorSettings } from './executor-settings.ts';
import { makeTemporaryFolder } from '../../base/system/temporary-folder.ts';
import { unwrapOutcome } from '../../base/values/outcome.ts';

export interface RunRequest {
  task: Task;
  options: ExecuteConfig;
  control: TaskControl;
  emit: OnProgress;
  /** Whether the task is agentic. Agentic tasks have other limits. */
  agentic: boolean;
}

/** Opens the run. Adds each opened part to `cleanup`. Throws an error with a code if there is no workspace or sandbox. */
export async function openRun(
  settings: ExecutorSettings,
  { task, options, control, emit, agentic }: RunRequest,
  cleanup: CleanupStack,
): Promise<TaskRun> {
  const { config, clock, logger, ledger, askUser, registry } = settings;
  const limits = computeRunLimits(task, config.limits, agentic, options.repo_dir !== undefined);
  cleanup.add(() => control.dispose());
  cleanup.add(onAbort(options.signal, () => control.stop('cancelled')));
  control.startWallClock(clock, limits.timeoutMs);
  const workspace = await openWorkspace(options, cleanup);
  const emitUnlessReplayed = muteReplay(emit, control, clock);
  const trees = await recordStartTree({ workspace, control, emit: emitUnlessReplayed });
  const { session, trace } = options;
  session?.recordFacts({ baseCommit: workspace.baseCommit });
  const env = options.environment ?? (await createDefaultEnvironment(settings, workspace));
  cleanup.add(() => env.cleanup());
  await env.initialize();
  const { toolLists } = settings;
  const { signal } = control;
  const toolset = agentic
    ? await openToolset({ task, config, env, emit: emitUnlessReplayed, signal, lists: toolLists }, cleanup)
    : undefined;
  const totals = new RunTotals(settings.telemetry?.countAnswer);
  const sandbox = await env.readSandboxStatus?.();
  return {
    task,
    config,
    workspace,
    env,
    control,
    limits,
    totals,
    ...trees,
    commandsAffectOutside: sandbox?.sandboxed !== true || config.sandbox.network,
    ledger,
    askUser: askUser && recordUserAnswers(askUser, control),
    registry,
    toolset,
    clock,
    logger: logger.child({ task_id: task.task_id }),
    emit: addUsageFigures(emitUnlessReplayed, totals),
    session,
    observer: session?.observer,
    trace,
  };
}

async function createDefaultEnvironment(
  { config, logger }: ExecutorSettings,
  workspace: PreparedWorkspace,
): Promise<ExecutionEnvironment> {
  const { dir, gitDirs, onWrite } = workspace;
  return new LocalExecutionEnvironment({
    ...buildEnvironmentOptions(config),
    workspace: dir,
    onWrite,
    gitDirs,
    ownDependencies: (await findDependencyFolders(dir, dir)).filter((path) => !isBuildFolder(path)),
    logger,
  });
}

/**
 * Opens the workspace: the workspace of the caller (a worker passes a worktree), the folder of the caller, or an empty folder that is
 * removed at the end. Throws an error with a code.
 */
async function openWorkspace(
  { repo_dir, workspace }: Pick<ExecuteConfig, 'repo_dir' | 'workspace'>,
  cleanup: CleanupStack,
): Promise<PreparedWorkspace> {
  if (repo_dir === undefined && typeof workspace === 'object') return workspace;
  const callerFolder = repo_dir ?? (typeof workspace === 'string' ? workspace : undefined);
  const dir = callerFolder ?? makeTemporaryFolder('ollama-sidecar-');
  if (callerFolder === undefined) cleanup.add(() => removeFolder(dir));
  const folderWorkspace = unwrapOutcome(await openFolderWorkspace(dir));
  cleanup.add(() => folderWorkspace.release({ keepBranch: false }));
  return folderWorkspace;
}
