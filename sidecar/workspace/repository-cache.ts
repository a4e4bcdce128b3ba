/**
 * Manages a bare cache per repository, shared by the workers of a machine. A cache has the commits of tasks (`refs/heads/sidecar/…`) and
 * their bases (`refs/sidecar/base/<commit>`). Tasks never write to it.
 */
import { existsSync } from 'node:fs';
import { readdir, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock, Logger } from '../base/ports.ts';
import { makeCommit } from './commit-object.ts';
import { resolveId, runGit, runGitText } from './git.ts';
import type { GitCall, GitFailure } from './git.ts';
import { copySource } from './copy-source.ts';
import { ensureGitDir, objectFormatOf } from './private-git-dir.ts';
import type { LocalRepository, RemoteRepository, RepositorySource } from './repository-source.ts';
import { listNames } from '../base/values/shortening.ts';
import { computeShortHash, taskBranchOf, toTaskName } from './task-names.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';

const FETCH_TIMEOUT_MS = 600_000;
/** A full commit hash. */
export const FULL_COMMIT_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The starting point of a task; without both fields, the default branch. Each is a branch, a tag or a commit, optionally with steps back
 * (`main~2`); `baseRef` takes precedence.
 */
export interface StartingPoint {
  branch?: string;
  baseRef?: string;
}

export const cacheGitDirOf = (cacheDir: string, source: Pick<RepositorySource, 'identity'>): string => {
  const readable = basename(source.identity.replace(/\/\.git$/, ''))
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 60);
  return join(cacheDir, `${readable || 'repository'}-${computeShortHash(source.identity)}.git`);
};

/** Finds the cache that contains the work of a task without a repository; undefined if the cache is not on this machine or was removed. */
export async function findTaskCache(cacheDir: string, taskId: string): Promise<string | undefined> {
  const start = basename(cacheGitDirOf(cacheDir, { identity: toTaskName(taskId) })).slice(
    0,
    -HASH_AND_ENDING_CHARS,
  );
  const names = await readdir(cacheDir).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(start) || name.length !== start.length + HASH_AND_ENDING_CHARS) continue;
    const gitDir = join(cacheDir, name);
    if ((await resolveId(gitDir, `refs/heads/${taskBranchOf(taskId)}`)).ok) return gitDir;
  }
  return undefined;
}

/** Length of the hash and the ending in a cache's name, such as `0123456789.git`. */
const HASH_AND_ENDING_CHARS = 14;

const baseRefOf = (commit: string): string => `refs/sidecar/base/${commit}`;

/** Fetches the starting commit into the cache and returns its id. */
export async function fetchBase(
  gitDir: string,
  source: RepositorySource,
  start: StartingPoint,
  { signal, logger }: { signal?: AbortSignal; logger?: Logger } = {},
): Promise<Outcome<string>> {
  for (const name of [start.branch, start.baseRef]) {
    if (name !== undefined && !isRefName(splitRevision(name).name)) {
      return failure('workspace_ref_missing', `"${name.slice(0, 200)}" is not a valid branch or commit name`);
    }
  }
  return source.kind === 'local'
    ? fetchLocal(gitDir, source, start, { signal, logger })
    : fetchRemote(gitDir, source, start, signal);
}

/** Id of the empty tree, which git knows without an object. */
const EMPTY_TREE_ID = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Makes the base of a task without a repository: an empty commit. */
export async function makeEmptyBase(gitDir: string, clock: Clock): Promise<Outcome<string>> {
  await ensureGitDir(gitDir);
  return makeCommit(gitDir, EMPTY_TREE_ID, undefined, 'Nothing', clock);
}

/** Checks a name by the rules of git, so that git cannot read it as an option or an expression. */
export const isRefName = (name: string): boolean =>
  name !== '' &&
  name.length <= 512 &&
  !/^[-./]|[\0- ~^:?*[\\\u007f]|\.\.|\/\/|@\{|\.lock(\/|$)|\/\.|[./]$/.test(name);

/** Splits a name from the steps back that follow it: `main~2`, `HEAD^`. */
function splitRevision(name: string): { name: string; steps: string } {
  const steps = /(?:[~^]\d{0,6}){0,20}$/u.exec(name)?.[0] ?? '';
  return { name: name.slice(0, name.length - steps.length), steps };
}

/** Returns the full ref names that a short name may mean, in the order in which they are tried. */
function listFullRefNames(name: string): string[] {
  if (name === 'HEAD' || name === '@') return ['HEAD'];
  if (name.startsWith('refs/')) return [name];
  const folders = ['heads', 'remotes/origin', 'tags', 'remotes'];
  return folders.map((folder) => `refs/${folder}/${name}`);
}

/** Matches texts that may be the beginning of a commit hash. */
const SHORT_ID = /^[0-9a-f]{4,64}$/;

async function fetchLocal(
  gitDir: string,
  source: LocalRepository,
  start: StartingPoint,
  { signal, logger }: { signal?: AbortSignal; logger?: Logger },
): Promise<Outcome<string>> {
  const revision = start.baseRef ?? start.branch ?? 'HEAD';
  const { name, steps } = splitRevision(revision);
  const names = listFullRefNames(name);
  if (FULL_COMMIT_ID.test(name)) names.unshift(name);
  else if (SHORT_ID.test(name)) names.push(name);
  const input = names.map((fullName) => `${fullName}${steps}^{commit}\n`).join('');
  const check = ['cat-file', '--batch-check=%(objectname)'];
  const listed = await runGitText({ gitDir: source.gitDir, args: check, input, signal });
  if (!listed.ok && listed.failure.code !== 'git_failed') return listed;
  const commit = listed.ok ? listed.value.split('\n').find((line) => FULL_COMMIT_ID.test(line)) : undefined;
  if (commit !== undefined) {
    const pinRef = baseRefOf(commit);
    const copied = await copySource(gitDir, source, commit, { pinRef, signal, logger });
    if (!copied.ok) return copied;
    await touchFile(join(gitDir, pinRef));
    return success(commit);
  }
  if (await isRetainedCommit(gitDir, revision)) return success(revision);
  const args = ['for-each-ref', '--format=%(refname:short)', 'refs/heads/'];
  const branches = await runGitText({ gitDir: source.gitDir, args, signal });
  return createMissingRefFailure(
    start,
    source.path,
    branches.ok ? branches.value.split('\n').filter(Boolean) : [],
  );
}

async function fetchRemote(
  gitDir: string,
  source: RemoteRepository,
  start: StartingPoint,
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  await ensureGitDir(gitDir);
  const revision = start.baseRef ?? start.branch ?? 'HEAD';
  if (await isRetainedCommit(gitDir, revision)) return success(revision);
  const advertised = await findRemoteCommit(gitDir, source, start, signal);
  if (!advertised.ok) return advertised;
  const commit = advertised.value;
  const { steps } = splitRevision(revision);
  await ensureGitDir(gitDir, { format: objectFormatOf(commit) });
  if (steps === '' && (await hasBase(gitDir, commit))) return success(commit);
  const flags = [
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-auto-maintenance',
    '--no-recurse-submodules',
    '--update-shallow',
    ...buildFileTransportOptions(source.url, 'upload-pack'),
  ];
  const args = ['fetch', ...flags, '--', source.url, `+${commit}:${baseRefOf(commit)}`];
  const fetched = await runGit(buildRemoteCall(gitDir, args, source.credentials, signal));
  if (!fetched.ok) return createFetchFailure(fetched.failure, source.url);
  const peeled = await resolveId(gitDir, `${commit}${steps}^{commit}`, signal);
  return peeled.ok ? success(peeled.value) : createMissingRefFailure(start, source.url);
}

/** Asks the remote for the commit that a name refers to. A full commit hash is returned unchanged. */
async function findRemoteCommit(
  gitDir: string,
  source: RemoteRepository,
  start: StartingPoint,
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  const { name } = splitRevision(start.baseRef ?? start.branch ?? 'HEAD');
  if (FULL_COMMIT_ID.test(name)) return success(name);
  const names = [
    ...new Set([...listFullRefNames(name), ...listFullRefNames(name.replace(/^origin\//u, ''))]),
  ];
  const advertised = await listRemoteRefs(
    gitDir,
    source,
    [...names, ...names.map((fullName) => `${fullName}^{}`)],
    signal,
  );
  if (!advertised.ok) return advertised;
  for (const fullName of names) {
    const commit = advertised.value.get(`${fullName}^{}`) ?? advertised.value.get(fullName);
    if (commit !== undefined && FULL_COMMIT_ID.test(commit)) return success(commit);
  }
  const heads = await listRemoteRefs(gitDir, source, [`${HEADS_PREFIX}*`], signal);
  const branches = heads.ok ? [...heads.value.keys()].map((ref) => ref.slice(HEADS_PREFIX.length)) : [];
  return createMissingRefFailure(start, source.url, branches);
}

/** Asks a remote for its refs that match patterns. Returns the id of each ref by name. */
async function listRemoteRefs(
  gitDir: string,
  { url, credentials }: RemoteRepository,
  patterns: readonly string[],
  signal?: AbortSignal,
): Promise<Outcome<Map<string, string>>> {
  const args = [
    'ls-remote',
    '--quiet',
    ...buildFileTransportOptions(url, 'upload-pack'),
    '--',
    url,
    ...patterns,
  ];
  const listed = await runGitText(buildRemoteCall(gitDir, args, credentials, signal));
  if (!listed.ok) return createFetchFailure(listed.failure, url);
  const lines = listed.value.split('\n').filter(Boolean);
  return success(new Map(lines.map((line) => [line.split('\t')[1] ?? '', line.split('\t')[0] ?? ''])));
}

const HEADS_PREFIX = 'refs/heads/';

const buildRemoteCall = (
  gitDir: string,
  args: string[],
  config: Readonly<Record<string, string>> | undefined,
  signal?: AbortSignal,
): GitCall => ({ gitDir, args, config, signal, usesOperatorConfig: true, timeoutMs: FETCH_TIMEOUT_MS });

/**
 * Returns options for `file://`. The other side runs on this machine with the configuration of a repository that may be hostile. The
 * options override settings that could start a program there.
 */
export function buildFileTransportOptions(url: string, program: 'upload-pack' | 'receive-pack'): string[] {
  if (!/^file:/i.test(url)) return [];
  const settings = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.alternateRefsCommand=true'];
  const git = ['git', ...settings.flatMap((setting) => ['-c', setting]), program].join(' ');
  return [`--${program}=${git}`];
}

async function hasBase(gitDir: string, commit: string): Promise<boolean> {
  if (await touchFile(join(gitDir, baseRefOf(commit)))) return true;
  return (await resolveId(gitDir, baseRefOf(commit))).ok;
}

/** Updates the time of a ref's file, which decides when the ref is pruned. Returns false if the file is missing. */
function touchFile(path: string): Promise<boolean> {
  const now = new Date();
  return utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

/** Returns whether the cache still has a commit of an earlier task (an unpushed partial result). */
async function isRetainedCommit(gitDir: string, commit: string): Promise<boolean> {
  if (!FULL_COMMIT_ID.test(commit) || !existsSync(join(gitDir, 'config'))) return false;
  const args = ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/heads/sidecar/', 'refs/sidecar/'];
  const refs = await runGitText({ gitDir, args });
  return refs.ok && refs.value !== '';
}

/** Maximum number of branches that a message names. */
const MAX_NAMED_BRANCHES = 10;

function createMissingRefFailure(
  start: StartingPoint,
  where: string,
  branches: readonly string[] = [],
): Outcome<never> {
  const branchNote =
    branches.length === 0 ? '' : `. Its branches: ${listNames(branches, MAX_NAMED_BRANCHES)}`;
  const name = start.baseRef ?? start.branch;
  if (name === undefined) {
    const why =
      branchNote === ''
        ? 'has no commits yet. Commit something first'
        : 'has a HEAD that points to no existing branch. Name a branch';
    return failure('workspace_ref_missing', `${where} ${why}${branchNote}`);
  }
  const code = start.baseRef === undefined ? 'workspace_branch_missing' : 'workspace_ref_missing';
  const whole =
    SHORT_ID.test(name) && !FULL_COMMIT_ID.test(name)
      ? '; to name a commit that no branch contains, use its full hash'
      : '';
  return failure(code, `${name} is not a branch, tag or commit of ${where}${whole}${branchNote}`);
}

const createFetchFailure = (cause: GitFailure, where: string): Outcome<never> =>
  cause.code === 'git_failed'
    ? failure('workspace_fetch_failed', `Could not fetch from ${where}: ${cause.message}`, true)
    : { ok: false, failure: cause };
