/**
 * Puts an attempt together: route, limits, workspace, environment, model, conversation. What fails here ended the
 * task before anything was done; what was opened until then is closed again.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CleanupStack } from '../system/cleanup-stack.ts';
import { LocalExecutionEnvironment } from '../environment/local-environment.ts';
import { isCodedError } from '../values/errors.ts';
import type { ExecutionEnvironment, OnProgress, JournalEntry, TaskJournal } from '../ports.ts';
import type { PreparedWorkspace } from '../workspace/task-workspace.ts';
import type { Task } from '../protocol/task.ts';
import { openFolderWorkspace } from '../workspace/folder-workspace.ts';
import { environmentOptions } from './environment-options.ts';
import { openAgentAttempt } from './agent-attempt.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptParts, ExecuteConfig, ExecutorSettings } from './attempt-parts.ts';
import type { Ending } from './ending.ts';
import { openModel } from './open-model.ts';
import { shellAttempt, simpleAttempt } from './plain-attempts.ts';
import { routeTask, type Route } from './routing.ts';
import { runLimits } from './run-limits.ts';
import { RunTotals, withFigures } from './run-totals.ts';
import { TaskControl } from './task-control.ts';

export type Opened = { ok: true; attempt: Attempt } | { ok: false; ending: Ending; model: string };

/** Opens the attempt that the task's route asks for. Rejects only for bugs. */
export async function openAttempt(
  settings: ExecutorSettings,
  task: Task,
  config: ExecuteConfig,
  emit: OnProgress,
): Promise<Opened> {
  const route = routeTask(task, { ...settings.config.routing, ...settings.config.workflow });
  if (route.kind === 'unsupported') {
    return failed({ reason: 'model_error', detail: `unsupported_target_type:${route.targetType}` });
  }
  const opened = new CleanupStack();
  try {
    const parts = await openParts({ settings, task, config, emit, route, opened });
    const attempt = await openRoute(route, parts);
    if (!attempt.ok) await opened.close();
    return attempt;
  } catch (error) {
    await opened.close();
    // A folder that is not there, a sandbox that is required and missing.
    if (isCodedError(error))
      return failed({ reason: 'model_error', detail: `${error.code}: ${error.message}` });
    throw error;
  }
}

async function openParts(options: {
  settings: ExecutorSettings;
  task: Task;
  config: ExecuteConfig;
  emit: OnProgress;
  route: Route;
  opened: CleanupStack;
}): Promise<AttemptParts> {
  const { settings, task, config, route, opened } = options;
  const { close } = opened;
  const agentic = route.kind === 'agentic' || route.kind === 'planned';
  const limits = runLimits(task, settings.config.limits, agentic, config.repo_dir !== undefined);
  const control = config.control ?? new TaskControl();
  opened.add(() => control.dispose());
  opened.add(cancelWith(control, config.signal));
  const journal = settings.journal?.(task);
  control.startWallClock(settings.clock, limits.timeoutMs, journal?.usedMs?.());
  if (journal) control.keepSteering(journal);
  const workspace = await openWorkspace(config, opened);
  config.session?.note({ baseCommit: workspace.baseCommit });
  const env = config.environment ?? defaultEnvironment(settings, workspace);
  opened.add(() => env.cleanup());
  await env.initialize();
  const totals = new RunTotals(settings.telemetry?.answer);
  return {
    settings,
    task,
    config,
    emit: withFigures(options.emit, totals),
    control,
    limits,
    totals,
    workspace,
    env,
    journal: journal && withTime(journal, control),
    close,
  };
}

/** Time counts over a crash as far as the journal tells: up to the last thing that was said or done. */
function withTime(journal: TaskJournal, control: TaskControl): TaskJournal {
  const timed = (entries: JournalEntry[]) => {
    const usedMs = Math.round(control.usedMs);
    return entries.map((entry) => ({ ...entry, usedMs }));
  };
  const appendSoon = journal.appendSoon?.bind(journal);
  return {
    append: (entries) => journal.append(timed(entries)),
    ...(appendSoon && {
      appendSoon: (entries: JournalEntry[], withinMs?: number) => appendSoon(timed(entries), withinMs),
    }),
    read: (stage) => journal.read(stage),
  };
}

async function openRoute(route: Route, parts: AttemptParts): Promise<Opened> {
  const { workspace, env, close, limits, totals, task, control, emit, journal } = parts;
  if (route.kind === 'shell') {
    const { command, retries } = route;
    const { session, trace } = parts.config;
    const told = { emit, observer: session?.observer, trace };
    const run = { task, command, retries, timeoutMs: limits.timeoutMs, env, control, ...told };
    return {
      ok: true,
      attempt: shellAttempt(run, {
        workspace,
        env,
        close,
        limits,
        totals,
        clock: parts.settings.clock,
        journal,
      }),
    };
  }
  const model = await openModel(parts);
  if (!model.ok) return withoutModel(parts, model);
  if (route.kind === 'simple') {
    return { ok: true, attempt: simpleAttempt({ ...model.base, purpose: 'simple' }, parts, journal) };
  }
  if (route.kind !== 'planned') return { ok: true, attempt: openAgentAttempt(parts, model, journal) };
  // Few tasks are planned, and reading plans takes a YAML parser.
  const { openPlannedAttempt } = await import('./planned-attempt.ts');
  return { ok: true, attempt: openPlannedAttempt(parts, model, journal) };
}

/** Nothing can be done without a model, but what an earlier life of the task did is still checked and reported. */
function withoutModel(parts: AttemptParts, { ending, model }: { ending: Ending; model: string }): Opened {
  const { workspace, env, close, limits, totals, control, settings, journal } = parts;
  const hasPast = ['run', 'task'].some((stage) => (journal?.read(stage).length ?? 0) > 0);
  if (!hasPast) return { ok: false, ending, model };
  const run = () => Promise.resolve(ending);
  const { clock } = settings;
  return {
    ok: true,
    attempt: { workspace, env, close, limits, totals, control, clock, model, journal, run },
  };
}

function failed(ending: Ending): Opened {
  return { ok: false, ending, model: '' };
}

/** A caller's signal cancels the task; the returned function ends the connection. */
function cancelWith(control: TaskControl, signal: AbortSignal | undefined): () => void {
  if (!signal) return () => undefined;
  const cancel = () => control.stop('cancelled');
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return () => signal.removeEventListener('abort', cancel);
}

/** The caller's workspace, the caller's folder, or an empty folder that is removed again. Throws a failure with a code. */
async function openWorkspace(
  { repo_dir, workspace }: ExecuteConfig,
  cleanup: CleanupStack,
): Promise<PreparedWorkspace> {
  if (repo_dir === undefined && typeof workspace === 'object') return workspace;
  const given = repo_dir ?? (typeof workspace === 'string' ? workspace : undefined);
  const dir = given ?? (await mkdtemp(join(tmpdir(), 'ollama-sidecar-')));
  if (given === undefined) cleanup.add(() => rm(dir, { recursive: true, force: true }));
  const opened = await openFolderWorkspace(dir);
  if (!opened.ok) throw Object.assign(new Error(opened.failure.message), { code: opened.failure.code });
  cleanup.add(() => opened.value.release({ keepBranch: false }));
  return opened.value;
}

function defaultEnvironment(
  { config, logger }: ExecutorSettings,
  workspace: PreparedWorkspace,
): ExecutionEnvironment {
  return new LocalExecutionEnvironment({
    ...environmentOptions(config),
    workspace: workspace.dir,
    gitDirs: workspace.gitDirs,
    logger,
  });
}
