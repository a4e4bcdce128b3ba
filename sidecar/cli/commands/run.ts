/** `run`: runs one task through hub, socket and worker, with a state folder of its own. */
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { prepareLauncher } from '../../base/system/launcher.ts';
import { makeFolder } from '../../base/system/make-folder.ts';
import { resolveWorkerFolders } from '../../worker/folders.ts';
import type { Config } from '../../base/config/schema.ts';
import { checkModel } from '../check-model.ts';
import { checkGit, checkRepository, findEnclosingRepository } from '../preflight.ts';
import { EXIT, createPreflightError, type ExitCode } from '../exit-codes.ts';
import { followTask } from '../follow-task.ts';
import type { HubClient } from '../../hub/client/hub-client.ts';
import { runInterruptible, type Interruption } from '../interruption.ts';
import { startLocalSession, type LocalSession } from '../local-session.ts';
import { quoteShellWord } from '../../base/values/shell-word.ts';
import { checkSandbox } from '../preflight.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import { createMergeDescriber } from '../merge-instructions.ts';
import type { RequiredEvidence } from '../shared-options.ts';
import { readSubmission, type TaskOptions } from '../task-options.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

export interface RunOptions extends Omit<TaskOptions, 'repo'>, CommandFlags {
  /** Repository of the task; false with `--no-repo`. */
  repo?: string | false;
  diff?: boolean;
  requireVerified?: RequiredEvidence;
  output?: 'github';
}

export const runCommand = (task: string | undefined, options: RunOptions): Promise<void> =>
  runInterruptible((interruption) => runTask(task, options, interruption));

async function runTask(
  task: string | undefined,
  options: RunOptions,
  interruption: Interruption,
): Promise<ExitCode> {
  prepareLauncher();
  const terminal = createTerminal(options.output ? false : options.json, 'data');
  const { config, sources } = await loadSettings(options);
  const submission = await readSubmission(task, { ...options, repo: options.repo || undefined });
  const requestedRepo = typeof submission.repo === 'string' ? submission.repo : undefined;
  const repo = requestedRepo ?? findDefaultRepository(options, terminal);
  const payload: Record<string, unknown> = { ...submission, repo };
  const [model, warning] = await Promise.all([
    checkModel(config, requestedModelOf(payload), options.ladder ?? config.model.ladder),
    checkSandbox(config),
    checkGit(),
    repo === undefined
      ? undefined
      : checkRepository(repo, config.workspace.allowedRepos, !payload.branch && !payload.base_ref),
    // These modules are loaded while the checks run.
    import('../../hub/hub.ts'),
    import('../../worker/start-worker.ts'),
  ]);
  if (warning) terminal.note(warning);
  if (model.note) terminal.note(`WARNING: ${model.note}`);
  const logLevel = sources.has('observability.logLevel') ? config.observability.logLevel : 'error';
  const session = await startLocalSession({
    config: { ...config, model: { ...config.model, default: model.name } },
    logLevel,
    state: 'own',
    workerId: `run-${hostname()}`.slice(0, 128),
  });
  try {
    if (interruption.exitCode !== undefined) return interruption.exitCode;
    const submitted = await session.client.submit({ ...payload, max_attempts: 1 });
    const { task_id: taskId } = submitted;
    return await followRun(terminal, config, session, { taskId, repo, interruption, options });
  } finally {
    await session.close();
  }
}

/**
 * Returns the repository of the current directory. Throws `CommandError` (preflight) if there is no repository. Returns
 * undefined if the task is one answer, comes from a file, or has `--no-repo`.
 */
function findDefaultRepository({ repo, simple, file }: RunOptions, terminal: Terminal): string | undefined {
  if (repo !== undefined || simple || file !== undefined) return undefined;
  const currentFolder = process.cwd();
  const repository = findEnclosingRepository(currentFolder);
  if (repository === undefined) {
    throw createPreflightError(
      'workspace_repo_missing',
      `${currentFolder} is not a git repository, and a task commits its changes to a branch. Create a repository:\n  git init && git add -A && git commit -m "First commit"\nor name a repository with --repo, or work in an empty folder with --no-repo.`,
    );
  }
  const folder = relative(repository, currentFolder);
  const placeText =
    folder === ''
      ? `the repository ${repository}`
      : `the folder ${folder} of the repository ${repository}: checks run in this folder; to work in the root folder, add --repo ${quoteShellWord(repository)}`;
  terminal.note(`Working on ${placeText}; to work in an empty folder, add --no-repo`);
  return currentFolder;
}

interface FollowedRun {
  taskId: string;
  repo: string | undefined;
  interruption: Interruption;
  options: RunOptions;
}

async function followRun(
  terminal: Terminal,
  config: Config,
  { client, workerLost }: LocalSession,
  { taskId, repo, interruption, options }: FollowedRun,
): Promise<ExitCode> {
  const { stateDir, cacheDir } = resolveWorkerFolders(config.worker);
  const file = join(stateDir, 'follow-ups', `${taskId}.json`);
  const code = await followTask({
    terminal,
    client,
    taskId,
    describeMerge: repo === undefined ? undefined : await createMergeDescriber(repo, config),
    cacheDir,
    interruption,
    workerLost,
    diff: options.diff,
    requireVerified: options.requireVerified,
    output: options.output,
    continueWith: `ollama-sidecar run --file ${quoteShellWord(file)}`,
  });
  if (code === EXIT.partial) await writeFollowUp(client, taskId, file);
  return code;
}

/** Writes a partial result's follow-up to a file for `run --file`, since the hub of `run` ends with the command. */
async function writeFollowUp(client: HubClient, taskId: string, file: string): Promise<void> {
  const { result } = await client.task(taskId);
  if (!result?.follow_up) return;
  makeFolder(dirname(file));
  await writeFile(file, `${JSON.stringify(result.follow_up, undefined, 2)}\n`, { mode: 0o600 });
}

function requestedModelOf({ model }: Record<string, unknown>): string | undefined {
  return typeof model === 'string' ? model : undefined;
}
