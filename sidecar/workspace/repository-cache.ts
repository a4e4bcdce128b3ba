/**
 * A bare cache per repository, shared by the workers of a machine. It has the commits that tasks made
 * (`refs/heads/sidecar/…`) and began from (`refs/sidecar/base/<commit>`). Tasks never write to it.
 */
import { existsSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Logger, Outcome } from '../ports.ts';
import { idOf, runGit, runGitText } from './git.ts';
import type { GitCall, GitFailure } from './git.ts';
import { copySource } from './copy-source.ts';
import { ensureGitDir, formatOf } from './private-git-dir.ts';
import type { LocalRepository, RemoteRepository, RepositorySource } from './repository-source.ts';
import { shortHash } from './task-names.ts';
import { failure, success } from './workspace-error.ts';

const FETCH_TIMEOUT_MS = 600_000;
/** The whole id of a commit. */
export const fullId = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** Where a task begins: both empty means the default branch. `baseRef` (a commit, branch or tag) goes first. */
export interface StartingPoint {
  branch?: string;
  baseRef?: string;
}

export const cacheGitDir = (cacheDir: string, source: RepositorySource): string => {
  const readable = basename(source.identity.replace(/\/\.git$/, ''))
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 60);
  return join(cacheDir, `${readable || 'repository'}-${shortHash(source.identity)}.git`);
};

const baseRefName = (commit: string): string => `refs/sidecar/base/${commit}`;

/** Brings the starting commit into the cache and answers its id. */
export async function fetchBase(
  gitDir: string,
  source: RepositorySource,
  start: StartingPoint,
  { signal, logger }: { signal?: AbortSignal; logger?: Logger } = {},
): Promise<Outcome<string>> {
  for (const name of [start.branch, start.baseRef]) {
    if (name !== undefined && !isRefName(name)) {
      return failure(
        'workspace_ref_missing',
        `"${name.slice(0, 200)}" is not a possible branch or commit name`,
      );
    }
  }
  return source.kind === 'local'
    ? fetchLocal(gitDir, source, start, { signal, logger })
    : fetchRemote(gitDir, source, start, signal);
}

/** git's own rules, and no way to be read as an option or an expression. */
export const isRefName = (name: string): boolean =>
  name !== '' &&
  name.length <= 512 &&
  !/^[-./]|[\0- ~^:?*[\\\u007f]|\.\.|\/\/|@\{|\.lock(\/|$)|\/\.|[./]$/.test(name);

/** Full names that a short one may mean, in the order they are tried. */
function candidates({ branch, baseRef }: StartingPoint): string[] {
  const name = baseRef ?? branch;
  if (name === undefined || name === 'HEAD') return ['HEAD'];
  if (name.startsWith('refs/')) return [name];
  const branches = [`refs/heads/${name}`, `refs/remotes/origin/${name}`];
  return baseRef === undefined ? branches : [...branches, `refs/tags/${name}`];
}

async function fetchLocal(
  gitDir: string,
  source: LocalRepository,
  start: StartingPoint,
  { signal, logger }: { signal?: AbortSignal; logger?: Logger },
): Promise<Outcome<string>> {
  const names = candidates(start);
  if (start.baseRef !== undefined && fullId.test(start.baseRef)) names.unshift(start.baseRef);
  for (const name of names) {
    const found = await idOf(source.gitDir, `${name}^{commit}`, signal);
    if (found.ok) {
      const pin = baseRefName(found.value);
      const copied = await copySource(gitDir, source, found.value, { pin, signal, logger });
      if (copied.ok) await touch(join(gitDir, pin));
      return copied.ok ? found : copied;
    }
    if (found.failure.code !== 'git_failed') return found;
  }
  if (start.baseRef !== undefined && (await isKeptCommit(gitDir, start.baseRef))) {
    return success(start.baseRef);
  }
  return missingRef(start, source.path);
}

async function fetchRemote(
  gitDir: string,
  source: RemoteRepository,
  start: StartingPoint,
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  await ensureGitDir(gitDir);
  if (start.baseRef !== undefined && (await isKeptCommit(gitDir, start.baseRef)))
    return success(start.baseRef);
  const advertised = await listRemote(gitDir, source, start, signal);
  if (!advertised.ok) return advertised;
  const commit = advertised.value;
  await ensureGitDir(gitDir, { format: formatOf(commit) });
  if (await hasBase(gitDir, commit)) return success(commit);
  const flags = [
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-auto-maintenance',
    '--no-recurse-submodules',
    '--update-shallow',
    ...fileTransport(source.url, 'upload-pack'),
  ];
  const args = ['fetch', ...flags, '--', source.url, `+${commit}:${baseRefName(commit)}`];
  const fetched = await runGit(remoteCall(gitDir, args, source.credentials, signal));
  if (!fetched.ok) return fetchFailed(fetched.failure, source.url);
  const peeled = await idOf(gitDir, `${commit}^{commit}`, signal);
  return peeled.ok ? success(peeled.value) : missingRef(start, source.url);
}

/** Asks the remote which commit a name means; a full commit id means itself. */
async function listRemote(
  gitDir: string,
  source: RemoteRepository,
  start: StartingPoint,
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  if (start.baseRef !== undefined && fullId.test(start.baseRef)) return success(start.baseRef);
  const names = candidates(start).filter((name) => !name.startsWith('refs/remotes/'));
  const peeled = names.map((name) => `${name}^{}`);
  const transport = fileTransport(source.url, 'upload-pack');
  const args = ['ls-remote', '--quiet', ...transport, '--', source.url, ...names, ...peeled];
  const listed = await runGitText(remoteCall(gitDir, args, source.credentials, signal));
  if (!listed.ok) return fetchFailed(listed.failure, source.url);
  const refs = new Map(
    listed.value.split('\n').map((line) => [line.split('\t')[1], line.split('\t')[0]] as const),
  );
  for (const name of names) {
    const commit = refs.get(`${name}^{}`) ?? refs.get(name);
    if (commit !== undefined && fullId.test(commit)) return success(commit);
  }
  return missingRef(start, source.url);
}

const remoteCall = (
  gitDir: string,
  args: string[],
  config: Readonly<Record<string, string>> | undefined,
  signal?: AbortSignal,
): GitCall => ({ gitDir, args, config, signal, operatorConfig: true, timeoutMs: FETCH_TIMEOUT_MS });

/**
 * For `file://` the other side runs here, with the configuration of a repository that may be hostile: what could start a
 * program there is overridden.
 */
export function fileTransport(url: string, program: 'upload-pack' | 'receive-pack'): string[] {
  if (!/^file:/i.test(url)) return [];
  const settings = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.alternateRefsCommand=true'];
  const git = ['git', ...settings.flatMap((setting) => ['-c', setting]), program].join(' ');
  return [`--${program}=${git}`];
}

async function hasBase(gitDir: string, commit: string): Promise<boolean> {
  if (await touch(join(gitDir, baseRefName(commit)))) return true;
  return (await idOf(gitDir, baseRefName(commit))).ok;
}

/** The time of a name's file says when it was last used, which pruning goes by. False where there is no file. */
function touch(path: string): Promise<boolean> {
  const now = new Date();
  return utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

/** Whether a commit that an earlier task made is still here (an unpushed partial result). */
async function isKeptCommit(gitDir: string, commit: string): Promise<boolean> {
  if (!fullId.test(commit) || !existsSync(join(gitDir, 'config'))) return false;
  const args = ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/heads/sidecar/', 'refs/sidecar/'];
  const found = await runGitText({ gitDir, args });
  return found.ok && found.value !== '';
}

const missingRef = (start: StartingPoint, where: string): Outcome<never> => {
  if (start.baseRef !== undefined) {
    return failure('workspace_ref_missing', `The commit, branch or tag ${start.baseRef} is not in ${where}`);
  }
  return start.branch === undefined
    ? failure('workspace_ref_missing', `${where} has no commits yet. Commit something first`)
    : failure(
        'workspace_branch_missing',
        `The branch ${start.branch} does not exist in ${where}. Name a branch or commit that does`,
      );
};

const fetchFailed = (cause: GitFailure, where: string): Outcome<never> =>
  cause.code === 'git_failed'
    ? failure('workspace_fetch_failed', `Could not fetch from ${where}: ${cause.message}`, true)
    : { ok: false, failure: cause };
