/**
 * Creates the folders of a task: the worker's repository, and trees with files of the suite (hidden checks, a
 * solution). Never writes through a link in a tree, because a model may have created it.
 */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { cp, lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { errorMessage } from '../../base/values/errors.ts';
import type { EvaluationTask } from './suite.ts';

const GIT_TIMEOUT_MS = 60_000;
const GENERATE_TIMEOUT_MS = 60_000;
/** Name of the file in an overlay that lists the paths to remove, one per line. */
const DELETION_LIST = '.delete';

const runFile = promisify(execFile);

/** Runs git in a folder without the user's configuration, and returns stdout. Rejects if git fails. */
export async function runGitCommand(dir: string, ...args: string[]): Promise<string> {
  const inheritedVariables = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const env = {
    ...Object.fromEntries(inheritedVariables),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const settings = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'protocol.ext.allow=never'];
  const settingArgs = settings.flatMap((setting) => ['-c', setting]);
  const { stdout } = await runFile('git', [...settingArgs, ...args], {
    cwd: dir,
    env,
    timeout: GIT_TIMEOUT_MS,
  });
  return stdout;
}

/** Converts a model's name to a part of a path. */
export const toPathPart = (model: string): string => model.replaceAll(/[^\w.-]+/gu, '-');

/** Runs `work` with a temporary folder below the evaluation's folder, and then removes the folder. */
export async function runInWorkFolder<T>(
  { task, run, model }: { task: EvaluationTask; run: number; model: string },
  output: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  // Runs of two models may be concurrent.
  const folder = join(output, 'work', `${toPathPart(model)}-${task.id}-${run}`);
  await rm(folder, { recursive: true, force: true });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Creates a task's repository in `dir`, with one commit on `main` and the packages in node_modules. Rejects
 * on failure.
 */
export async function createTaskRepository(task: EvaluationTask, dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const repo = join(task.dir, 'repo');
  if (existsSync(repo)) await cp(repo, dir, { recursive: true, verbatimSymlinks: true });
  const generator = join(task.dir, 'generate.mjs');
  if (existsSync(generator))
    await runFile(process.execPath, [generator, dir], { cwd: task.dir, timeout: GENERATE_TIMEOUT_MS });
  await commitAll(dir, 'evaluate', 'Start');
  await addPackages(task, dir);
}

/** Creates a repository in a folder, with all files in one commit on `main`. Rejects if git fails. */
export async function commitAll(dir: string, author: string, message: string): Promise<void> {
  const identity = ['-c', `user.name=${author}`, '-c', `user.email=${author}@localhost`];
  await runGitCommand(dir, 'init', '--quiet', '--initial-branch=main');
  await runGitCommand(dir, 'add', '--all');
  await runGitCommand(
    dir,
    ...identity,
    'commit',
    '--quiet',
    '--no-verify',
    '--allow-empty',
    '--message',
    message,
  );
}

/** Copies the task's packages into the tree's node_modules, which the task's `.gitignore` excludes. */
export async function addPackages({ packages }: EvaluationTask, dir: string): Promise<void> {
  for (const name of packages) {
    const source = findPackageFolder(name);
    if (source === undefined) throw new Error(describeMissingPackage(name));
    const target = join(dir, 'node_modules', name);
    await rm(target, { recursive: true, force: true });
    await cp(source, target, { recursive: true, dereference: true });
  }
}

export const describeMissingPackage = (name: string): string =>
  `the npm package ${name} is not installed; run \`npm install --no-save ${name}\``;

/** Returns the folder of an installed package: beside this program, or in the current folder. */
export function findPackageFolder(name: string): string | undefined {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    for (const folder of createRequire(from).resolve.paths(name) ?? []) {
      const candidate = join(folder, name);
      if (existsSync(join(candidate, 'package.json'))) return candidate;
    }
  }
  return undefined;
}

/** Checks out the commit `ref` of `repository` to `dir`. Rejects if git fails. */
export async function checkOut(repository: string, ref: string, dir: string): Promise<void> {
  await mkdir(dirname(dir), { recursive: true });
  await runGitCommand(dirname(dir), 'clone', '--quiet', '--no-hardlinks', '--no-checkout', repository, dir);
  await runGitCommand(dir, 'fetch', '--quiet', 'origin', ref);
  await runGitCommand(dir, 'checkout', '--quiet', '--detach', 'FETCH_HEAD');
}

/** Copies the files of `overlay` over `dir` and removes the paths in its `.delete`. A missing overlay changes nothing. */
export async function copyOverlay(overlay: string, dir: string): Promise<void> {
  if (!existsSync(overlay)) return;
  for (const path of await listFiles(overlay)) {
    if (path === DELETION_LIST) continue;
    await clearPath(dir, path);
    await cp(join(overlay, path), join(dir, path), { verbatimSymlinks: true });
  }
  for (const path of await readDeletionList(overlay)) {
    await clearPath(dir, path);
  }
}

async function readDeletionList(overlay: string): Promise<string[]> {
  const file = join(overlay, DELETION_LIST);
  if (!existsSync(file)) return [];
  const lines = (await readFile(file, 'utf8')).split(/\r?\n/u).map((line) => line.trim());
  return lines.filter((line) => line !== '' && !relative('', line).startsWith('..'));
}

/** Removes the file or folder at a path. Replaces parents of the path that are not folders by folders. */
async function clearPath(dir: string, path: string): Promise<void> {
  const parts = path.split(sep);
  for (let depth = 1; depth < parts.length; depth += 1) {
    const folder = join(dir, ...parts.slice(0, depth));
    const stats = await lstat(folder).catch(() => undefined);
    if (stats?.isDirectory()) continue;
    await rm(folder, { force: true });
    await mkdir(folder);
  }
  await rm(join(dir, path), { recursive: true, force: true });
}

async function listFiles(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .sort();
}

/** Returns whether a tree differs from its last commit. Ignored files do not count. Rejects if git fails. */
export async function isChanged(dir: string): Promise<boolean> {
  try {
    return (await runGitCommand(dir, 'status', '--porcelain')).trim() !== '';
  } catch (error) {
    throw new Error(`git cannot compare ${dir}: ${errorMessage(error)}`, { cause: error });
  }
}
