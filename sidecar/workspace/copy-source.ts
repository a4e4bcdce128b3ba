/**
 * Copies a local repository into the cache: its branches, remote branches and tags, which checks compare with, and the objects that these
 * and the starting commit reach. Nothing else is copied, so that no task can read a stash, or a file that was added and removed again. The
 * configuration of the source is not read, so none of its filters, hooks or transports can run. `git fetch` would read it, and would start
 * four processes instead of two if nothing is new.
 */
import { readdir, realpath, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from '../base/ports.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import { runGit, runGitText, type GitCall } from './git.ts';
import { ensureGitDir, formatOf, writeWhole } from './private-git-dir.ts';
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

/** Options of `copySource`. `pin` is the name of the commit in the cache. */
export interface CopyOptions {
  pin: string;
  signal?: AbortSignal;
  logger?: Logger;
}

/** Updates the cache; no other process may write it at the same time. Throws like `ensureGitDir`. */
export async function copySource(
  cache: string,
  source: LocalRepository,
  commit: string,
  { pin, signal, logger }: CopyOptions,
): Promise<Outcome<true>> {
  await ensureGitDir(cache, { format: formatOf(commit) });
  const [theirs, ours] = await Promise.all([listNames(source.gitDir, signal), listNames(cache, signal)]);
  if (!theirs.ok) return theirs;
  if (!ours.ok) return ours;
  const start = `${commit} ${pin}`;
  const wanted = [start, ...theirs.value.filter(isOfSource)];
  const copy = { from: source, into: cache, signal, ...(await readCopyState(source, cache)) };
  const known = new Set(copy.mayHaveAll ? ours.value : []);
  const isThere = wanted.every((line) => known.has(line));
  const have = [...known];
  const copied = isThere ? success(true as const) : await copyObjects({ ...copy, wanted, have });
  if (copied.ok) return setNames(cache, wanted, ours.value, signal);
  logger?.warn(
    { code: copied.failure.code },
    `Could not copy all refs of the source: ${copied.failure.message}`,
  );
  const alone = await copyObjects({ ...copy, wanted: [start], have });
  return alone.ok ? setNames(cache, [start], ours.value, signal) : alone;
}

/** Lists `ID NAME` of each ref of a repository. */
async function listNames(gitDir: string, signal?: AbortSignal): Promise<Outcome<string[]>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)'];
  const listed = await runGitText({ gitDir, args, maxOutputBytes: MAX_LIST_BYTES, signal });
  return listed.ok ? success(listed.value.split('\n').filter(Boolean)) : listed;
}

const idOf = (line: string): string => line.slice(0, line.indexOf(' '));
const nameOf = (line: string): string => line.slice(line.indexOf(' ') + 1);

/**
 * Returns whether a ref belongs to the source. Branches of tasks belong to the cache. A branch `sidecar` cannot exist beside them, so it is
 * not copied.
 */
function isOfSource(line: string): boolean {
  const name = nameOf(line);
  return /^refs\/(?:heads|remotes|tags)\//.test(name) && name !== 'refs/heads/sidecar' && !isTaskBranch(name);
}

interface CopyState {
  /** Commits at which a shallow history ends; git looks for no parents there. */
  shallow: string;
  /** Whether all objects that a name in the cache reaches are present. */
  mayHaveAll: boolean;
  isPartial: boolean;
}

async function readCopyState(source: LocalRepository, cache: string): Promise<CopyState> {
  const shallow = await shallowOf(source.commonDir);
  const partial = await isPartial(source);
  return { shallow, isPartial: partial, mayHaveAll: !partial && shallow === (await shallowOf(cache)) };
}

async function shallowOf(gitDir: string): Promise<string> {
  const text = (await readSmallFile(join(gitDir, 'shallow'), MAX_SHALLOW_BYTES)) ?? '';
  const ids = text.split('\n').filter((line) => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(line));
  return ids.map((id) => `${id}\n`).join('');
}

interface Objects extends CopyState {
  from: LocalRepository;
  into: string;
  /** Wanted and present refs, as lines of `listNames`. */
  wanted: readonly string[];
  have: readonly string[];
  signal?: AbortSignal;
}

/** Copies objects as one pack; objects that the source has compressed are copied unchanged. */
async function copyObjects(objects: Objects): Promise<Outcome<true>> {
  const { from, into, shallow, wanted, have, signal } = objects;
  const shallowFile = join(into, 'shallow');
  const next = `${shallowFile}.next`;
  await writeWhole(next, shallow);
  const call = {
    gitDir: into,
    config: { 'pack.window': '0' },
    env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: storeList(await objectStores(from)), GIT_SHALLOW_FILE: next },
    timeoutMs: COPY_TIMEOUT_MS,
    signal,
  };
  const ends = [...wanted.map(idOf), ...have.map((line) => `^${idOf(line)}`)]
    .map((line) => `${line}\n`)
    .join('');
  const input = objects.isPartial ? await listExistingIds(call, ends) : success(ends);
  if (!input.ok) return input;
  const revs = objects.isPartial ? [] : ['--revs'];
  const args = ['pack-objects', '--quiet', '--non-empty', ...revs, join(into, 'objects', 'pack', 'pack')];
  const packed = await runGit({ ...call, args, input: input.value });
  if (!packed.ok) return packed;
  await rename(next, shallowFile);
  return success(true);
}

/** Lists the objects that exist. If files and folders may be missing, git can only pack objects whose ids are given. */
function listExistingIds(call: Omit<GitCall, 'args'>, ends: string): Promise<Outcome<Buffer>> {
  const args = ['rev-list', '--objects', '--no-object-names', '--missing=allow-any', '--stdin'];
  return runGit({ ...call, args, input: ends, maxOutputBytes: MAX_IDS_BYTES });
}

/**
 * Sets the names that differ. Names that the source no longer has are removed first, since such a name may now be the folder of another
 * name.
 */
async function setNames(
  cache: string,
  wanted: readonly string[],
  present: readonly string[],
  signal?: AbortSignal,
): Promise<Outcome<true>> {
  const names = new Set(wanted.map(nameOf));
  const known = new Set(present);
  const gone = present.filter((line) => isOfSource(line) && !names.has(nameOf(line)));
  for (const commands of [
    gone.map((line) => `delete ${nameOf(line)}\n`),
    wanted.filter((line) => !known.has(line)).map((line) => `update ${nameOf(line)} ${idOf(line)}\n`),
  ]) {
    if (commands.length === 0) continue;
    const args = ['update-ref', '--no-deref', '--stdin'];
    const updated = await runGit({ gitDir: cache, args, input: commands.join(''), signal });
    if (!updated.ok) return updated;
  }
  return success(true);
}

/** Returns the object stores of a repository: its own and the borrowed ones. */
export async function objectStores({ commonDir }: Pick<LocalRepository, 'commonDir'>): Promise<string[]> {
  const stores = [join(commonDir, 'objects')];
  for (const store of stores) {
    const text = (await readSmallFile(join(store, 'info', 'alternates'))) ?? '';
    const more = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => resolve(store, line));
    stores.push(...more.filter((path) => !stores.includes(path)).slice(0, MAX_STORES - stores.length));
  }
  return stores;
}

/**
 * Returns the git folders to which the `.git` of a user's own folder refers, so that the sandbox can show them read-only: the repository's
 * own folders, and those from which it borrows objects. Like git, it follows a `.git` file only if its target names the folder in turn. It
 * must be called before a task has worked there, since the `.git` of a task could name any folder of this host.
 */
export async function gitFoldersOf(source: LocalRepository, folder: string): Promise<string[]> {
  const { gitDir, commonDir, workTree } = source;
  if (workTree !== folder) return [];
  const isOwn = gitDir === join(folder, '.git') && commonDir === gitDir;
  if (!isOwn && !(await pointsBack(gitDir, folder))) return [];
  const stores = await objectStores(source);
  const folders = [gitDir, commonDir, ...stores.filter((store) => !store.startsWith(commonDir))];
  return [...new Set(folders)];
}

async function pointsBack(gitDir: string, folder: string): Promise<boolean> {
  const back = (await readSmallFile(join(gitDir, 'gitdir')))?.trim();
  if (!back) return false;
  return (await realpath(dirname(resolve(gitDir, back))).catch(() => undefined)) === folder;
}

/** Formats stores for git's environment variable. */
export const storeList = (stores: readonly string[]): string =>
  stores.map((path) => JSON.stringify(path)).join(':');

/** Returns whether the source was cloned without all of its content (`--filter`). If so, files may be missing. */
export async function isPartial({ commonDir }: LocalRepository): Promise<boolean> {
  const names = await readdir(join(commonDir, 'objects', 'pack')).catch(() => []);
  return names.some((name) => name.endsWith('.promisor'));
}
