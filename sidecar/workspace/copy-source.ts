/**
 * Copies a local repository into the cache: its branches, remote branches and tags, which checks may compare with, and all objects
 * reachable from them and from the starting commit. Nothing else is copied, so that no task can read a stash, or a file that was added and
 * removed again. The configuration of the source is not read, so none of its filters, hooks or transports can run. `git fetch` would read
 * it, and would start four processes instead of two if nothing is new.
 */
import { readdir, realpath, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from '../base/ports.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import { runGit, runGitText, type GitCall } from './git.ts';
import { ensureGitDir, objectFormatOf, writeFileAtomically } from './private-git-dir.ts';
import type { LocalRepository } from './repository-source.ts';
import { isTaskBranch } from './task-names.ts';
import { type Outcome, success } from '../base/values/outcome.ts';

/** Maximum depth of borrowed object stores, as in git. */
const MAX_STORES = 6;
const MAX_SHALLOW_BYTES = 4 * 1024 * 1024;
const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** Maximum size of the list of ids, enough for more than three million objects. */
const MAX_IDS_BYTES = 128 * 1024 * 1024;
const COPY_TIMEOUT_MS = 600_000;

/** Options of `copySource`. `pinRef`: the ref in the cache that is set to the commit. */
export interface CopyOptions {
  pinRef: string;
  signal?: AbortSignal;
  logger?: Logger;
}

/**
 * Copies refs and objects of the source into the cache. No other process may write to the cache at the same time. Throws like
 * `ensureGitDir`.
 */
export async function copySource(
  cache: string,
  source: LocalRepository,
  commit: string,
  { pinRef, signal, logger }: CopyOptions,
): Promise<Outcome<true>> {
  await ensureGitDir(cache, { format: objectFormatOf(commit) });
  const [sourceRefs, cacheRefs] = await Promise.all([
    listRefs(source.gitDir, signal),
    listRefs(cache, signal),
  ]);
  if (!sourceRefs.ok) return sourceRefs;
  if (!cacheRefs.ok) return cacheRefs;
  const pinLine = `${commit} ${pinRef}`;
  const wantedRefs = [pinLine, ...sourceRefs.value.filter(isSourceRef)];
  const copy = { source, cache, signal, ...(await readCopyState(source, cache)) };
  const cachedRefs = new Set(copy.hasAllObjects ? cacheRefs.value : []);
  const isComplete = wantedRefs.every((line) => cachedRefs.has(line));
  const presentRefs = [...cachedRefs];
  const copied = isComplete
    ? success(true as const)
    : await copyObjects({ ...copy, wantedRefs, presentRefs });
  if (copied.ok) return updateRefs(cache, wantedRefs, cacheRefs.value, signal);
  logger?.warn(
    { code: copied.failure.code },
    `Could not copy all refs of the source: ${copied.failure.message}`,
  );
  const retried = await copyObjects({ ...copy, wantedRefs: [pinLine], presentRefs });
  return retried.ok ? updateRefs(cache, [pinLine], cacheRefs.value, signal) : retried;
}

/** Lists `ID NAME` of each ref of a repository. */
async function listRefs(gitDir: string, signal?: AbortSignal): Promise<Outcome<string[]>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)'];
  const listed = await runGitText({ gitDir, args, maxOutputBytes: MAX_LIST_BYTES, signal });
  return listed.ok ? success(listed.value.split('\n').filter(Boolean)) : listed;
}

const refIdOf = (line: string): string => line.slice(0, line.indexOf(' '));
const refNameOf = (line: string): string => line.slice(line.indexOf(' ') + 1);

/**
 * Returns whether a ref belongs to the source. Branches of tasks belong to the cache. A branch `sidecar` cannot exist beside them, so it is
 * not copied.
 */
function isSourceRef(line: string): boolean {
  const name = refNameOf(line);
  return /^refs\/(?:heads|remotes|tags)\//.test(name) && name !== 'refs/heads/sidecar' && !isTaskBranch(name);
}

interface CopyState {
  /** Commits at which a shallow history ends, one id per line; git does not read their parents. */
  shallowCommits: string;
  /** Whether all objects reachable from refs of the cache are present. */
  hasAllObjects: boolean;
  /** Whether the source was cloned without all of its objects (`--filter`). */
  isPartial: boolean;
}

async function readCopyState(source: LocalRepository, cache: string): Promise<CopyState> {
  const shallowCommits = await readShallowCommits(source.commonDir);
  const partial = await isPartialClone(source);
  return {
    shallowCommits,
    isPartial: partial,
    hasAllObjects: !partial && shallowCommits === (await readShallowCommits(cache)),
  };
}

async function readShallowCommits(gitDir: string): Promise<string> {
  const text = (await readSmallFile(join(gitDir, 'shallow'), MAX_SHALLOW_BYTES)) ?? '';
  const ids = text.split('\n').filter((line) => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(line));
  return ids.map((id) => `${id}\n`).join('');
}

interface ObjectCopy extends CopyState {
  source: LocalRepository;
  cache: string;
  /** Refs whose objects are needed, as lines of `listRefs`. */
  wantedRefs: readonly string[];
  /** Refs whose objects the cache has, as lines of `listRefs`. */
  presentRefs: readonly string[];
  signal?: AbortSignal;
}

/** Copies objects as one pack; objects that the source has compressed are copied unchanged. */
async function copyObjects(objects: ObjectCopy): Promise<Outcome<true>> {
  const { source, cache, shallowCommits, wantedRefs, presentRefs, signal } = objects;
  const shallowFile = join(cache, 'shallow');
  const newShallowFile = `${shallowFile}.next`;
  await writeFileAtomically(newShallowFile, shallowCommits);
  const call = {
    gitDir: cache,
    config: { 'pack.window': '0' },
    env: {
      GIT_ALTERNATE_OBJECT_DIRECTORIES: formatStoreList(await listObjectStores(source)),
      GIT_SHALLOW_FILE: newShallowFile,
    },
    timeoutMs: COPY_TIMEOUT_MS,
    signal,
  };
  const revisions = [...wantedRefs.map(refIdOf), ...presentRefs.map((line) => `^${refIdOf(line)}`)]
    .map((line) => `${line}\n`)
    .join('');
  const input = objects.isPartial ? await listExistingIds(call, revisions) : success(revisions);
  if (!input.ok) return input;
  const revs = objects.isPartial ? [] : ['--revs'];
  const args = ['pack-objects', '--quiet', '--non-empty', ...revs, join(cache, 'objects', 'pack', 'pack')];
  const packed = await runGit({ ...call, args, input: input.value });
  if (!packed.ok) return packed;
  await rename(newShallowFile, shallowFile);
  return success(true);
}

/** Lists the ids of the objects that exist. If some are missing, git can only pack objects whose ids are given. */
function listExistingIds(call: Omit<GitCall, 'args'>, revisions: string): Promise<Outcome<Buffer>> {
  const args = ['rev-list', '--objects', '--no-object-names', '--missing=allow-any', '--stdin'];
  return runGit({ ...call, args, input: revisions, maxOutputBytes: MAX_IDS_BYTES });
}

/**
 * Sets the refs that differ. Refs that the source no longer has are removed first, since such a ref may now be the folder of another ref.
 */
async function updateRefs(
  cache: string,
  wantedRefs: readonly string[],
  presentRefs: readonly string[],
  signal?: AbortSignal,
): Promise<Outcome<true>> {
  const names = new Set(wantedRefs.map(refNameOf));
  const presentSet = new Set(presentRefs);
  const removedRefs = presentRefs.filter((line) => isSourceRef(line) && !names.has(refNameOf(line)));
  for (const commands of [
    removedRefs.map((line) => `delete ${refNameOf(line)}\n`),
    wantedRefs
      .filter((line) => !presentSet.has(line))
      .map((line) => `update ${refNameOf(line)} ${refIdOf(line)}\n`),
  ]) {
    if (commands.length === 0) continue;
    const args = ['update-ref', '--no-deref', '--stdin'];
    const updated = await runGit({ gitDir: cache, args, input: commands.join(''), signal });
    if (!updated.ok) return updated;
  }
  return success(true);
}

/** Returns the object stores of a repository: its own and the borrowed ones. */
export async function listObjectStores({ commonDir }: Pick<LocalRepository, 'commonDir'>): Promise<string[]> {
  const stores = [join(commonDir, 'objects')];
  for (const store of stores) {
    const text = (await readSmallFile(join(store, 'info', 'alternates'))) ?? '';
    const furtherStores = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => resolve(store, line));
    stores.push(
      ...furtherStores.filter((path) => !stores.includes(path)).slice(0, MAX_STORES - stores.length),
    );
  }
  return stores;
}

/**
 * Returns the git folders to which the `.git` of a user's own folder refers, so that the sandbox can show them read-only: the repository's
 * own folders, and those from which it borrows objects. Like git, follows a `.git` file only if its target refers back to the folder. Must
 * be called before a task has worked there, since the `.git` of a task could name any folder of this host.
 */
export async function findGitFolders(source: LocalRepository, folder: string): Promise<string[]> {
  const { gitDir, commonDir, workTree } = source;
  if (workTree !== folder) return [];
  const isOwn = gitDir === join(folder, '.git') && commonDir === gitDir;
  if (!isOwn && !(await pointsBack(gitDir, folder))) return [];
  const stores = await listObjectStores(source);
  const folders = [gitDir, commonDir, ...stores.filter((store) => !store.startsWith(commonDir))];
  return [...new Set(folders)];
}

async function pointsBack(gitDir: string, folder: string): Promise<boolean> {
  const linkedPath = (await readSmallFile(join(gitDir, 'gitdir')))?.trim();
  if (!linkedPath) return false;
  return (await realpath(dirname(resolve(gitDir, linkedPath))).catch(() => undefined)) === folder;
}

/** Formats stores for git's environment variable. */
export const formatStoreList = (stores: readonly string[]): string =>
  stores.map((path) => JSON.stringify(path)).join(':');

/** Returns whether the source was cloned without all of its content (`--filter`), so that objects may be missing. */
export async function isPartialClone({ commonDir }: LocalRepository): Promise<boolean> {
  const names = await readdir(join(commonDir, 'objects', 'pack')).catch(() => []);
  return names.some((name) => name.endsWith('.promisor'));
}
