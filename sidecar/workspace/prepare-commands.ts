/**
 * Runs the operator's commands that fetch dependencies: in a fresh worktree with network, before the task's work begins, once per set of
 * lock files. Their result is stored and shown to later tasks read-only. The key of a stored result includes the manifests, so a changed
 * install script never gets an older result. The commands run code of the repository with network access, so they never run in a tree that
 * a model may have written to.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, rename, utimes } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '../base/values/errors.ts';
import type { Clock, ExecutionEnvironment, Logger, OnProgress } from '../base/ports.ts';
import { systemClock } from '../base/system/clock.ts';
import { withFileLock } from './file-lock.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { isFolder } from './repository-source.ts';
import { findDependencyFolders, createEmptyDependencies, shareDependencies } from './shared-dependencies.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { PreparedWorkspace } from './task-workspace.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';
import { catchFileErrors } from './catch-file-errors.ts';
import { formatExitCode } from '../base/system/exit-code.ts';

const COMMAND_TIMEOUT_MS = 900_000;
const LOCK_TIMEOUT_MS = 1_800_000;
const MAX_TAIL_CHARS = 1_000;
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

/** Files that decide the result of an install. */
const MANIFEST_FILES = [
  'package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb .npmrc',
  'pyproject.toml requirements.txt requirements-dev.txt poetry.lock uv.lock Pipfile.lock setup.py',
  'Cargo.toml Cargo.lock go.mod go.sum composer.json composer.lock mix.exs mix.lock Gemfile Gemfile.lock',
].flatMap((names) => names.split(' '));

export interface DependencyOptions {
  workspace: Pick<
    PreparedWorkspace,
    'dir' | 'sourcePath' | 'gitDirs' | 'beganFromTask' | 'listUncommittedFiles'
  >;
  /** The setting `workspace.share`. */
  share: 'auto' | 'off' | readonly string[];
  /** The setting `workspace.prepare`. */
  prepare: readonly string[];
  /** Folder of the repository caches, in which the results of the commands are stored, too. */
  cacheDir: string;
  sandboxed: boolean;
  /** Opens an environment for the commands. Called only if they must run; this module cleans the environment up. */
  openEnvironment: () => ExecutionEnvironment;
  onEvent?: OnProgress;
  signal?: AbortSignal;
  clock?: Clock;
  logger?: Logger;
}

/** Provides a workspace with its dependencies. Failure code: `workspace_prepare_failed`. */
export function provideDependencies(options: DependencyOptions): Promise<Outcome<SharedDependencies>> {
  return catchFileErrors(async () => {
    if (options.prepare.length > 0) return prepareDependencies(options);
    const { sourcePath } = options.workspace;
    return success(
      sourcePath === undefined ? createEmptyDependencies() : await shareDependenciesFrom(sourcePath, options),
    );
  });
}

async function prepareDependencies(options: DependencyOptions): Promise<Outcome<SharedDependencies>> {
  const { clock = systemClock, signal } = options;
  const storedPath = join(options.cacheDir, 'prepared', await hashPreparation(options));
  if (!(await isFolder(storedPath))) {
    if (await holdsTaskWork(options.workspace)) {
      options.logger?.warn({}, NOT_PREPARED_WARNING);
      options.onEvent?.({ event_type: 'status', text: NOT_PREPARED_WARNING, timestamp: clock.now() });
      return success(createEmptyDependencies());
    }
    await mkdir(dirname(storedPath), { recursive: true });
    const lock = { clock, timeoutMs: LOCK_TIMEOUT_MS, signal };
    const stored = await withFileLock(`${storedPath}.lock`, lock, () => storePrepared(options, storedPath));
    if (!stored.ok) return stored;
  }
  const now = new Date(clock.now());
  await utimes(storedPath, now, now);
  return success(await shareDependenciesFrom(storedPath, { ...options, share: 'auto' }));
}

const NOT_PREPARED_WARNING =
  'Dependencies were not installed: no earlier install has the same lock files, and a task that starts from changes of another task may not run workspace.prepare with network access';

async function holdsTaskWork({
  beganFromTask,
  listUncommittedFiles,
}: DependencyOptions['workspace']): Promise<boolean> {
  return beganFromTask === true || (await listUncommittedFiles()).length > 0;
}

async function shareDependenciesFrom(
  sourcePath: string,
  options: DependencyOptions,
): Promise<SharedDependencies> {
  const { dir, gitDirs } = options.workspace;
  const [gitDir] = gitDirs;
  return gitDir === undefined
    ? createEmptyDependencies()
    : shareDependencies({ ...options, sourcePath, worktreePath: dir, gitDir });
}

async function hashPreparation({ workspace, prepare }: DependencyOptions): Promise<string> {
  const hash = createHash('sha256').update(
    JSON.stringify([workspace.gitDirs, prepare, process.platform, process.arch, process.version]),
  );
  for (const name of MANIFEST_FILES) {
    const content = await readSmallFile(join(workspace.dir, name), MAX_MANIFEST_BYTES);
    if (content !== undefined) hash.update(`\0${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

async function storePrepared(options: DependencyOptions, storedPath: string): Promise<Outcome<true>> {
  // Another worker may have prepared the folder while this worker waited for the lock.
  if (await isFolder(storedPath)) return success(true);
  const { dir } = options.workspace;
  const foldersBefore = new Set(await findDependencyFolders(dir, dir));
  const ran = await runCommands(options);
  if (!ran.ok) return ran;
  const half = `${storedPath}.half`;
  await removeFolder(half);
  await mkdir(half);
  for (const path of await findDependencyFolders(dir, dir)) {
    if (foldersBefore.has(path)) continue;
    await mkdir(dirname(join(half, path)), { recursive: true });
    await moveFolder(join(dir, path), join(half, path));
  }
  await rename(half, storedPath);
  return success(true);
}

async function runCommands({
  prepare,
  openEnvironment,
  onEvent,
  signal,
  clock = systemClock,
}: DependencyOptions): Promise<Outcome<true>> {
  const env = openEnvironment();
  try {
    for (const command of prepare) {
      onEvent?.({ event_type: 'status', text: `Preparing dependencies: ${command}`, timestamp: clock.now() });
      const result = await env.execCommand(command, {
        network: true,
        timeoutMs: COMMAND_TIMEOUT_MS,
        signal,
      });
      if (result.aborted) return failure('aborted', 'Stopped while preparing dependencies');
      if (result.exitCode !== 0) {
        const how = result.timedOut
          ? `timed out after ${COMMAND_TIMEOUT_MS} ms`
          : `exited with code ${formatExitCode(result.exitCode)}`;
        const tail = result.output.trim().slice(-MAX_TAIL_CHARS);
        return failure('workspace_prepare_failed', `\`${command}\` of workspace.prepare ${how}: ${tail}`);
      }
    }
    return success(true);
  } catch (error) {
    return failure('workspace_prepare_failed', errorMessage(error));
  } finally {
    await env.cleanup();
  }
}

/** Moves a folder; copies it between two disks. */
async function moveFolder(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch {
    await cp(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
    await removeFolder(from);
  }
}
