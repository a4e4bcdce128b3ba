/**
 * Finds the differences between a folder and its base tree, by content. All comparisons use a base index outside the folder that never
 * changes. The repository's own index, HEAD or `.git`, which the task may change, are therefore irrelevant. Paths are bytes, since a file
 * name need not be UTF-8.
 */
import type { BigIntStats } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isTemporaryName, TEMPORARY_PATHSPEC } from '../base/system/temporary-file.ts';
import { copyIndex, joinNul, runGit, runGitText, splitNul } from './git.ts';
import { type IndexedFolder, restoreLineEndings } from './line-endings.ts';
import { isLinkFree } from './link-free-path.ts';
import type { GitCall } from './git.ts';
import { type Outcome, success } from '../base/values/outcome.ts';

/**
 * Maximum size of a file that is stored in a commit, since git makes a second copy of the content. The changes list larger files as
 * omitted.
 */
const MAX_COMMITTED_FILE_BYTES = 512 * 1024 * 1024;
const MAX_NESTED_REPOSITORIES = 50;
const BATCH_PATHS = 64;

export interface WorkTree extends IndexedFolder {
  /** Ignored paths that are part of the work, because a file tool wrote them. */
  writtenPaths?: {
    listUntracked(tree: WorkTree, signal?: AbortSignal): Promise<Outcome<Buffer[]>>;
    readonly dependencyPaths: ReadonlySet<string>;
  };
}

/** A path that is new or differs from the base. `stats` is undefined if the path no longer exists or is no file. */
export interface ChangedPath {
  path: Buffer;
  isTracked: boolean;
  stats?: BigIntStats;
}

/** Builds a call of git for the folder, with its base index. */
export const buildGitCall = (
  tree: WorkTree,
  args: readonly string[],
  options: Partial<GitCall> = {},
): GitCall => ({
  gitDir: tree.gitDir,
  workTree: tree.dir,
  indexFile: tree.baseIndex,
  args,
  ...options,
});

/**
 * Returns all paths that differ from the base, sorted by bytes. Leaves out incomplete writes, and ignored paths that no file tool wrote.
 */
export async function listChangedPaths(
  tree: WorkTree,
  signal?: AbortSignal,
): Promise<Outcome<ChangedPath[]>> {
  const listed = await runGit(
    buildGitCall(tree, ['ls-files', '-z', '-t', '-m', '-d', '-o', '--exclude-standard'], { signal }),
  );
  if (!listed.ok) return listed;
  const changeByPath = new Map<string, { path: Buffer; isTracked: boolean }>();
  const nested: Buffer[] = [];
  for (const entry of splitNul(listed.value)) {
    const path = entry.subarray(2);
    const isTracked = entry[0] !== UNTRACKED_BYTE;
    if (!isTracked && path.at(-1) === SLASH_BYTE) nested.push(path);
    else if (isTracked || !isTemporaryFile(path))
      changeByPath.set(path.toString('latin1'), { path, isTracked });
  }
  for (const path of await listNestedFiles(tree, nested, signal)) {
    if (!isTemporaryFile(path)) changeByPath.set(path.toString('latin1'), { path, isTracked: false });
  }
  const written = (await tree.writtenPaths?.listUntracked(tree, signal)) ?? success([]);
  if (!written.ok) return written;
  for (const path of written.value) changeByPath.set(path.toString('latin1'), { path, isTracked: false });
  const sorted = [...changeByPath.values()].sort((a, b) => a.path.compare(b.path));
  const { changed, folders } = await addStats(tree.dir, sorted);
  const submodules = await findSubmodules(tree, folders, signal);
  if (!submodules.ok) return submodules;
  return success(changed.filter(({ path }) => !submodules.value.has(path.toString('latin1'))));
}

const isTemporaryFile = (path: Buffer): boolean =>
  isTemporaryName(path.subarray(path.lastIndexOf(SLASH_BYTE) + 1).toString('latin1'));

/** Removes the incomplete writes of a killed worker, in ignored folders, too. The task must not run at the same time. */
export async function removeTemporaryFiles(tree: WorkTree, signal?: AbortSignal): Promise<Outcome<true>> {
  const listed = await runGit(
    buildGitCall(tree, ['ls-files', '-z', '-o', '--', TEMPORARY_PATHSPEC], {
      signal,
      env: { GIT_LITERAL_PATHSPECS: '0' },
    }),
  );
  if (!listed.ok) return listed;
  const temporaryFiles = splitNul(listed.value).filter(isTemporaryFile);
  await Promise.all(temporaryFiles.map((path) => rm(toAbsolute(tree.dir, path), { force: true })));
  return success(true);
}

/** Returns those of the given tracked paths, which are now folders, that are submodules in the base. In the base, the others were files. */
async function findSubmodules(
  tree: WorkTree,
  folders: Buffer[],
  signal?: AbortSignal,
): Promise<Outcome<Set<string>>> {
  if (folders.length === 0) return success(new Set());
  const staged = await runGit(buildGitCall(tree, ['ls-files', '-z', '-s'], { signal }));
  if (!staged.ok) return staged;
  const links = splitNul(staged.value).filter(
    (entry) => entry.subarray(0, 6).toString('latin1') === '160000',
  );
  return success(
    new Set(links.map((entry) => entry.subarray(entry.indexOf(TAB_BYTE) + 1).toString('latin1'))),
  );
}

/**
 * Lists the files of repositories inside the folder (made by a scaffolding tool, for example). They are part of the task's work, but git
 * would store only the commit id of such a repository. Therefore each is listed with its own root and an empty index.
 */
async function listNestedFiles(tree: WorkTree, folders: Buffer[], signal?: AbortSignal): Promise<Buffer[]> {
  const files: Buffer[] = [];
  const queue = folders.slice(0, MAX_NESTED_REPOSITORIES);
  for (let folder = queue.shift(); folder; folder = queue.shift()) {
    const nestedTree = { ...tree, dir: join(tree.dir, folder.toString('utf8')), baseIndex: MISSING_INDEX };
    const listed = await runGit(
      buildGitCall(nestedTree, ['ls-files', '-z', '-o', '--exclude-standard'], { signal }),
    );
    // The folder was removed in the meantime.
    if (!listed.ok) continue;
    for (const entry of splitNul(listed.value)) {
      const path = Buffer.concat([folder, entry]);
      if (entry.at(-1) !== SLASH_BYTE) files.push(path);
      else if (queue.length < MAX_NESTED_REPOSITORIES) queue.push(path);
    }
  }
  return files;
}

const UNTRACKED_BYTE = '?'.charCodeAt(0);
const SLASH_BYTE = '/'.charCodeAt(0);
const TAB_BYTE = '\t'.charCodeAt(0);
/** Path of an index that does not exist, which git reads as an empty one. */
const MISSING_INDEX = '/nonexistent/index';

async function addStats(
  dir: string,
  paths: { path: Buffer; isTracked: boolean }[],
): Promise<{ changed: ChangedPath[]; folders: Buffer[] }> {
  const changed: ChangedPath[] = [];
  const folders: Buffer[] = [];
  const isThere = createParentCheck(dir);
  for (let start = 0; start < paths.length; start += BATCH_PATHS) {
    const batch = paths.slice(start, start + BATCH_PATHS).map(async (entry) => {
      // If a link replaced one of the path's folders, the path leads to another file.
      const stats =
        entry.isTracked && !(await isThere(entry.path))
          ? undefined
          : await lstat(toAbsolute(dir, entry.path), { bigint: true }).catch(() => undefined);
      const isContent = stats !== undefined && (stats.isFile() || stats.isSymbolicLink());
      return { ...entry, ...(isContent ? { stats } : {}), isFolder: stats?.isDirectory() ?? false };
    });
    for (const { isFolder, ...entry } of await Promise.all(batch)) {
      if (entry.isTracked && isFolder) folders.push(entry.path);
      if (entry.isTracked || entry.stats) changed.push(entry);
    }
  }
  return { changed, folders };
}

/** Returns a function that checks, once per folder, that no part of a path's folder is a link. */
function createParentCheck(dir: string): (path: Buffer) => Promise<boolean> {
  const checks = new Map<string, Promise<boolean>>();
  return (path) => {
    const end = path.lastIndexOf(SLASH_BYTE);
    if (end < 0) return Promise.resolve(true);
    const parent = path.subarray(0, end);
    const name = parent.toString('latin1');
    const check = checks.get(name) ?? isLinkFree(dir, parent);
    checks.set(name, check);
    return check;
  };
}

/** Joins the tree's folder and a path in it, as raw bytes. */
const toAbsolute = (dir: string, path: Buffer): Buffer => Buffer.concat([Buffer.from(`${dir}/`), path]);

/** Wait after a change, longer than a clock tick of file systems, so that a later change gets a different time. */
const TICK_MS = 25;

/**
 * Returns a text that identifies the state of changed files by their mode, size, times and inode; it differs after any further change.
 * Waits until the clock has advanced since the last change, so that a change during later reading is detected.
 */
export async function fingerprintOf(changes: readonly ChangedPath[]): Promise<string> {
  const newestMs = changes.reduce((newest, { stats }) => Math.max(newest, Number(stats?.ctimeMs ?? 0)), 0);
  const remainingMs = newestMs + TICK_MS - Date.now();
  if (remainingMs > 0) await setTimeout(Math.min(remainingMs, TICK_MS));
  const lines = changes.map(({ path, stats }) =>
    [path.toString('latin1'), stats?.mode, stats?.ino, stats?.size, stats?.mtimeNs, stats?.ctimeNs].join(':'),
  );
  return lines.join('\0');
}

export interface Snapshot {
  treeId: string;
  /** Path of a git index that matches the tree and has the times of the folder's files. */
  indexFile: string;
  /** Paths that could not be stored, with the reason. */
  omittedPaths: string[];
}

/** Stores the folder's content as a git tree: the base's index plus `changes`. */
export async function writeSnapshot(
  tree: WorkTree,
  changes: readonly ChangedPath[],
  { signal, indexFile = `${tree.baseIndex}.next` }: { signal?: AbortSignal; indexFile?: string } = {},
): Promise<Outcome<Snapshot>> {
  await copyIndex(tree.baseIndex, indexFile);
  const restored = await restoreLineEndings(tree, indexFile);
  if (!restored.ok) return restored;
  const next = { ...tree, baseIndex: indexFile };
  const { store, remove, omittedPaths } = sortChanges(changes);
  const removed = await updateIndex(next, ['--force-remove'], remove, signal);
  if (!removed.ok) return removed;
  const stored = await updateIndex(next, ['--add', '--remove', '--replace'], store, signal);
  if (!stored.ok) return stored;
  const treeId = await runGitText(buildGitCall(next, ['write-tree'], { signal }));
  return treeId.ok
    ? success({ treeId: treeId.value, indexFile, omittedPaths: [...omittedPaths, ...stored.value] })
    : treeId;
}

/** Stores the folder's present content. */
export async function takeSnapshot(
  tree: WorkTree,
  options: { signal?: AbortSignal; indexFile?: string } = {},
): Promise<Outcome<Snapshot>> {
  const changed = await listChangedPaths(tree, options.signal);
  return changed.ok ? writeSnapshot(tree, changed.value, options) : changed;
}

function sortChanges(changes: readonly ChangedPath[]): {
  store: Buffer[];
  remove: Buffer[];
  omittedPaths: string[];
} {
  const store: Buffer[] = [];
  const remove: Buffer[] = [];
  const omittedPaths: string[] = [];
  for (const { path, stats, isTracked } of changes) {
    if (!stats) {
      if (isTracked) remove.push(path);
    } else if (stats.size > BigInt(MAX_COMMITTED_FILE_BYTES)) {
      omittedPaths.push(`${path.toString('utf8')} (${stats.size} bytes)`);
    } else store.push(path);
  }
  return { store, remove, omittedPaths };
}

const MAX_REFUSED_PATHS = 20;

/**
 * Updates the index with changed paths. git skips names that are dangerous to check out (`git~1`, a link called `.gitmodules`) and stops at
 * the first file that it cannot read. Such files are omitted one by one, up to a limit, so that one hostile file does not prevent the whole
 * result. Returns the omitted paths.
 */
async function updateIndex(
  tree: WorkTree,
  flags: string[],
  paths: Buffer[],
  signal?: AbortSignal,
): Promise<Outcome<string[]>> {
  const refused: string[] = [];
  const onWarnings = (stderr: string): void => {
    for (const [, name] of stderr.matchAll(/^Ignoring path (.*)$/gm))
      refused.push(`${name} (a dangerous name)`);
  };
  let pendingPaths = paths;
  while (pendingPaths.length > 0) {
    const input = joinNul(pendingPaths);
    const updated = await runGit(
      buildGitCall(tree, ['update-index', '-z', ...flags, '--stdin'], {
        input,
        signal,
        onWarnings,
        timeoutMs: 300_000,
      }),
    );
    if (updated.ok) break;
    const name = /Unable to process path ([\s\S]*?)\n?$/.exec(updated.failure.stderr)?.[1];
    const remaining = pendingPaths.filter((path) => path.toString('utf8') !== name);
    if (name === undefined || remaining.length === pendingPaths.length || refused.length >= MAX_REFUSED_PATHS)
      return updated;
    refused.push(`${name} (cannot be read)`);
    pendingPaths = remaining;
  }
  return success(refused);
}
