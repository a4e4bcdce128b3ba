/** Opens the parts of one run of a task: limits, wall clock, journal, workspace, environment. */
import { LocalExecutionEnvironment } from '../../workspace/local-environment.ts';
import type { ExecutionEnvironment, OnProgress } from '../../base/ports.ts';
import type { Task } from '../../base/protocol/task.ts';
import type { CleanupStack } from '../../base/system/cleanup-stack.ts';
import { onAbort } from '../../base/system/on-abort.ts';
import { removeFolder } from '../../base/system/remove-folder.ts';
import { dependencyFolders, isBuildFolder } from '../../workspace/shared-dependencies.ts';
import { openFolderWorkspace } from '../../workspace/folder-workspace.ts';
import type { PreparedWorkspace } from '../../workspace/task-workspace.ts';
import { recordAnswers } from '../task/asked-person.ts';
import { Journal } from '../task/journal.ts';
import { quietReplay } from '../task/quiet-replay.ts';
import { runLimits } from '../task/run-limits.ts';
import { RunTotals, withFigures } from '../task/run-totals.ts';
import { openToolset } from '../task/toolset/open-toolset.ts';
import { TaskControl } from '../task/task-control.ts';
import { startTree } from '../task/start-tree.ts';
import type { TaskRun } from '../task/task-run.ts';
import { environmentOptions } from '../task/environment-options.ts';
import type { ExecuteConfig, ExecutorSettings } from './executor-settings.ts';
import { makeTemporaryFolder } from '../../base/system/temporary-folder.ts';
import { unwrapOutcome } from '../../base/values/outcome.ts';

export interface RunRequest {
  task: Task;
  config: ExecuteConfig;
  emit: OnProgress;
  /** Whether the task is agentic, which has other limits. */
  agentic: boolean;
}

/** Opens the run. Every opened part is added to `opened`. Throws an error with a code if there is no workspace or sandbox. */
export async function openRun(
  settings: ExecutorSettings,
  { task, config: given, emit, agentic }: RunRequest,
  opened: CleanupStack,
): Promise<TaskRun> {
  const { config, clock, logger, ledger, askPerson, registry } = settings;
  const limits = runLimits(task, config.limits, agentic, given.repo_dir !== undefined);
  const control = given.control ?? new TaskControl();
  opened.add(() => control.dispose());
  opened.add(onAbort(given.signal, () => control.stop('cancelled')));
  const store = settings.journal?.(task);
  const journal = new Journal(control, store);
  opened.add(() => journal.settled());
  control.startWallClock(clock, limits.timeoutMs);
  if (store) control.steering.persistIn(store);
  const workspace = await openWorkspace(given, opened);
  const shown = quietReplay(emit, journal, clock);
  const trees = await startTree({ workspace, journal, emit: shown });
  const { session, trace } = given;
  session?.note({ baseCommit: workspace.baseCommit });
  const env = given.environment ?? (await defaultEnvironment(settings, workspace));
  opened.add(() => env.cleanup());
  await env.initialize();
  const { toolLists: lists } = settings;
  const { signal } = control;
  const toolset = agentic
    ? await openToolset({ task, config, env, emit: shown, signal, lists }, opened)
    : undefined;
  const totals = new RunTotals(settings.telemetry?.answer);
  const sandbox = await env.sandboxStatus?.();
  return {
    task,
    config,
    workspace,
    env,
    control,
    limits,
    totals,
    journal,
    ...trees,
    commandsReachOut: sandbox?.sandboxed !== true || config.sandbox.network,
    ledger,
    askPerson: askPerson && recordAnswers(askPerson, journal),
    registry,
    toolset,
    clock,
    logger: logger.child({ task_id: task.task_id }),
    emit: withFigures(shown, totals),
    session,
    observer: session?.observer,
    trace,
  };
}

async function defaultEnvironment(
  { config, logger }: ExecutorSettings,
  workspace: PreparedWorkspace,
): Promise<ExecutionEnvironment> {
  const { dir, gitDirs, onWrite } = workspace;
  return new LocalExecutionEnvironment({
    ...environmentOptions(config),
    workspace: dir,
    onWrite,
    gitDirs,
    ownDependencies: (await dependencyFolders(dir, dir)).filter((path) => !isBuildFolder(path)),
    logger,
  });
}

/**
 * Opens the workspace: the caller's workspace (a worker passes a worktree), the caller's folder, or an empty folder that is removed at the
 * end. Throws an error with a code.
 */
async function openWorkspace(
  { repo_dir, workspace }: Pick<ExecuteConfig, 'repo_dir' | 'workspace'>,
  cleanup: CleanupStack,
): Promise<PreparedWorkspace> {
  if (repo_dir === undefined && typeof workspace === 'object') return workspace;
  const given = repo_dir ?? (typeof workspace === 'string' ? workspace : undefined);
  const dir = given ?? makeTemporaryFolder('ollama-sidecar-');
  if (given === undefined) cleanup.add(() => removeFolder(dir));
  const opened = unwrapOutcome(await openFolderWorkspace(dir));
  cleanup.add(() => opened.release({ keepBranch: false }));
  return opened;
}
