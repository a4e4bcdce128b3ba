/**
 * Shares dependencies with a fresh worktree, which has none. Since the sandbox has no network, most test commands would fail without them.
 * The sandbox shows folders of a local source read-only, at their path in the worktree. Build folders, and without a sandbox all folders,
 * are copied within limits. Links are never used, nor anything by which a task could write outside of its workspace.
 */
import { constants, type Dirent } from 'node:fs';
import { cp, lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errorMessage } from '../base/values/errors.ts';
import type { Logger } from '../base/ports.ts';
import { runGit } from './git.ts';
import { makeMountPoint } from '../base/system/make-folder.ts';
import { resolveBelow } from '../base/system/real-path.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import { isFolder } from './repository-source.ts';

/** A folder, or a file of Yarn, that the sandbox shows at a path of the workspace. */
export interface SharedFolder {
  source: string;
  path: string;
}

export interface SharedDependencies {
  sharedFolders: SharedFolder[];
  /** Folders that the sandbox also shows at their original path, since their programs refer to that path. */
  readOnlyPaths: string[];
  /** Path of the project, set if programs in a shared folder may import the project from that path. */
  projectPath?: string;
  /** Paths in the workspace to which dependencies were copied. */
  copiedFolders: string[];
  /** Folders that were not shared, with the reasons. */
  skippedFolders: { path: string; reason: string }[];
}

export interface ShareOptions {
  /** Folder that contains the dependencies: the work tree of a local source, or the folder of prepared dependencies. */
  sourcePath: string;
  /** Folder of the task's worktree. */
  worktreePath: string;
  /** Git dir that decides which paths the worktree ignores. A copy of any other path would become a change of the task. */
  gitDir: string;
  /** `auto`, `off`, or paths relative to the source. */
  share: 'auto' | 'off' | readonly string[];
  /** Whether commands run in the sandbox. Without it, nothing is shown read-only. */
  sandboxed: boolean;
  signal?: AbortSignal;
  logger?: Logger;
}

/** Dependency folders that a build only reads. */
const READ_ONLY_FOLDERS =
  'node_modules .venv venv env .tox .nox vendor deps .yarn/cache .yarn/unplugged'.split(' ');
/** Files with which Yarn's Plug'n'Play finds packages. */
const YARN_FILES: ReadonlySet<string> = new Set(['.pnp.cjs', '.pnp.data.json', '.pnp.loader.mjs']);
const YARN_FOLDER = '.yarn';
/** Dependency folders that a build writes to. */
export const BUILD_FOLDERS = ['target', '_build', '.gradle'];
/** Returns whether a build writes to this dependency folder. */
export const isBuildFolder = (path: string): boolean => BUILD_FOLDERS.includes(basename(path));

/** Folders of Python environments, whose scripts begin with the absolute path of their interpreter. */
const PYTHON_ENVIRONMENTS = ['.venv', 'venv', 'env', '.tox', '.nox'];

const MAX_DEPTH = 2;
const MAX_FOLDERS = 300;
const MAX_COPIED_FILES = 40_000;
const MAX_COPIED_BYTES = 600 * 1024 * 1024;
const MAX_MAP_BYTES = 32 * 1024 * 1024;

export const createEmptyDependencies = (): SharedDependencies => ({
  sharedFolders: [],
  readOnlyPaths: [],
  copiedFolders: [],
  skippedFolders: [],
});

/** Shares the dependencies of a source. Rejects only on errors of the file system that leave the workspace unusable. */
export async function shareDependencies(options: ShareOptions): Promise<SharedDependencies> {
  const shared = createEmptyDependencies();
  if (options.share === 'off') return shared;
  const paths =
    options.share === 'auto'
      ? await findDependencyFolders(options.sourcePath, options.worktreePath)
      : options.share;
  const ignored = await findIgnoredPaths(paths, options);
  for (const path of paths) {
    if (options.signal?.aborted) break;
    const mayShare = ignored.has(path) || (options.share !== 'auto' && isShown(path, options));
    const reason = mayShare ? await shareFolder(path, options, shared) : 'git does not ignore it';
    if (reason !== undefined) shared.skippedFolders.push({ path, reason });
  }
  if (shared.skippedFolders.length > 0)
    options.logger?.info({ skipped: shared.skippedFolders }, 'Some dependencies are not shared');
  return shared;
}

/** Returns whether the sandbox shows the folder; otherwise it is copied. */
const isShown = (path: string, { sandboxed }: ShareOptions): boolean => sandboxed && !isBuildFolder(path);

async function findIgnoredPaths(
  paths: readonly string[],
  { gitDir, worktreePath, signal }: ShareOptions,
): Promise<Set<string>> {
  const innerPaths = paths.filter(
    (path) => !isAbsolute(path) && isBelow(resolve(worktreePath, path), worktreePath),
  );
  if (innerPaths.length === 0) return new Set();
  const args = ['check-ignore', '--no-index', '-z', '--stdin'];
  // With a slash at the end, ignore rules for folders also match folders that do not exist yet.
  const input = innerPaths.map((path) => `${path}/\0`).join('');
  // check-ignore fails if pathspecs are literal.
  const env = { GIT_LITERAL_PATHSPECS: '0' };
  // Exit code 1: no path is ignored.
  const ignored = await runGit({ gitDir, workTree: worktreePath, args, input, env, signal });
  const names = ignored.ok ? ignored.value.toString('utf8').split('\0') : [];
  return new Set(names.map((name) => name.slice(0, -1)));
}

/**
 * Returns dependency folders and files below `root`, relative to it: at the root and in the folders of a monorepo. `dir` is the worktree;
 * only its tracked folders are searched.
 */
export async function findDependencyFolders(root: string, dir: string): Promise<string[]> {
  const dependencyPaths: string[] = [];
  let folders = [''];
  let remainingFolders = MAX_FOLDERS;
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const searchedFolders = folders.slice(0, remainingFolders);
    remainingFolders -= searchedFolders.length;
    const searches = searchedFolders.map(async (folder) => {
      const names = [
        await listDependencies(join(root, folder)),
        await listSearchedFolders(join(dir, folder)),
      ];
      return names.map((group) => group.map((name) => join(folder, name)));
    });
    const results = await Promise.all(searches);
    for (const [dependencies = []] of results) for (const path of dependencies) dependencyPaths.push(path);
    folders = results.flatMap(([, below = []]) => below);
  }
  return dependencyPaths;
}

const KNOWN_FOLDERS: ReadonlySet<string> = new Set([...READ_ONLY_FOLDERS, ...BUILD_FOLDERS]);

async function listDependencies(folder: string): Promise<string[]> {
  const entries = await readEntries(folder);
  const isDependency = (entry: Dirent) => (entry.isDirectory() ? KNOWN_FOLDERS : YARN_FILES).has(entry.name);
  const names = entries.filter(isDependency).map(({ name }) => name);
  if (!entries.some(({ name }) => name === YARN_FOLDER)) return names.sort();
  for (const name of READ_ONLY_FOLDERS.filter((name) => name.startsWith(`${YARN_FOLDER}/`)))
    if (await isFolder(join(folder, name))) names.push(name);
  return names.sort();
}

/** Lists the folders of a worktree that are searched for dependencies. */
async function listSearchedFolders(folder: string): Promise<string[]> {
  const entries = await readEntries(folder);
  return entries
    .filter((entry) => entry.isDirectory() && !KNOWN_FOLDERS.has(entry.name) && !entry.name.startsWith('.'))
    .map(({ name }) => name);
}

const readEntries = (path: string): Promise<Dirent[]> =>
  readdir(path, { withFileTypes: true }).catch(() => []);

/** Shares one folder. Returns the reason if it cannot be shared. */
async function shareFolder(
  path: string,
  options: ShareOptions,
  shared: SharedDependencies,
): Promise<string | undefined> {
  const { sourcePath, worktreePath } = options;
  const target = resolve(worktreePath, path);
  if (isAbsolute(path) || !isBelow(target, worktreePath)) return 'it is not a path below the repository';
  const sourceEntry = join(sourcePath, path);
  const isYarnFile = YARN_FILES.has(basename(path)) && (await isFile(sourceEntry));
  if (!isYarnFile && !(await isFolder(sourceEntry))) return 'the source repository has no such folder';
  if (
    isYarnFile &&
    /"packageLocation":\s*"\.\.\//.test((await readSmallFile(sourceEntry, MAX_MAP_BYTES)) ?? '')
  )
    return 'it uses packages outside the project: set enableGlobalCache: false in .yarnrc.yml';
  const source = await resolveBelow(sourcePath, sourceEntry);
  if (source === undefined || source.includes(`${sep}.git${sep}`) || source.endsWith(`${sep}.git`))
    return 'its links lead out of the source repository, or into its git folder';
  if (!(await isFree(target))) return 'the worktree already contains it';
  const parent = await realpath(dirname(target)).catch(() => undefined);
  if (
    parent !== (await realpath(worktreePath)) &&
    (await resolveBelow(worktreePath, dirname(target))) === undefined
  )
    return 'its path leads out of the worktree';
  if (isShown(path, options)) {
    await makeMountPoint(target, !isYarnFile);
    shared.sharedFolders.push({ source, path: target });
    if (!PYTHON_ENVIRONMENTS.includes(basename(path))) return undefined;
    shared.readOnlyPaths.push(source);
    // Packages installed in editable mode contain the path of the project's folder.
    shared.projectPath = await realpath(sourcePath);
    return undefined;
  }
  return copyFolder(source, target, options, shared);
}

async function copyFolder(
  source: string,
  target: string,
  options: ShareOptions,
  shared: SharedDependencies,
): Promise<string | undefined> {
  const exceededLimit = (await isFile(source)) ? undefined : await findExceededLimit(source);
  if (exceededLimit !== undefined) return exceededLimit;
  try {
    await cp(source, target, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      // Copies share data blocks with the original if the file system supports it.
      mode: constants.COPYFILE_FICLONE,
      filter: async (from) =>
        !options.signal?.aborted && (await mayCopy(from, source, target, options.worktreePath)),
    });
  } catch (error) {
    await removeFolder(target);
    return `it could not be copied: ${errorMessage(error)}`;
  }
  shared.copiedFolders.push(relative(options.worktreePath, target));
  return undefined;
}

/** Returns whether an entry is copied. A link is copied only if its target is in the workspace when resolved from the copy. */
async function mayCopy(from: string, source: string, target: string, dir: string): Promise<boolean> {
  const stats = await lstat(from);
  if (!stats.isSymbolicLink()) return stats.isFile() || stats.isDirectory();
  const targetEntry = join(target, relative(source, from));
  return isBelow(resolve(dirname(targetEntry), await readlink(from)), dir);
}

async function findExceededLimit(folder: string): Promise<string | undefined> {
  let files = 0;
  let bytes = 0;
  const queue = [folder];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) queue.push(path);
      files += 1;
      if (entry.isFile()) bytes += (await lstat(path)).size;
      if (files > MAX_COPIED_FILES) return `it has more than ${MAX_COPIED_FILES} files, too many to copy`;
      if (bytes > MAX_COPIED_BYTES) return `it is larger than ${MAX_COPIED_BYTES} bytes, too large to copy`;
    }
  }
  return undefined;
}

/** Returns whether a path is unused: missing, or an empty folder or file that an earlier run made as a mount point. */
async function isFree(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isFile()) return stats.size === 0;
  return stats === undefined || (stats.isDirectory() && (await readdir(path)).length === 0);
}

const isFile = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isFile() ?? false;

const isBelow = (path: string, folder: string): boolean => path.startsWith(folder + sep);
