/**
 * Resolves the source that a task's `repo` names: a folder on this machine or a remote. Accepted forms are paths, `file://`, `https://`,
 * `ssh://`, `user@host:path`, and `http://` to loopback. Everything else (`ext::`, other remote helpers, options) is refused before git
 * receives it. Credentials are removed and never part of a message.
 */
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { findHomeFolder } from '../base/system/home-folder.ts';
import { maskCredentials } from '../base/addresses/credentials.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';

/** A repository on this machine. */
export interface LocalRepository {
  kind: 'local';
  /** Folder that git fetches from: the work tree, or the bare repository itself. */
  path: string;
  gitDir: string;
  /** Folder of objects and refs. It differs from `gitDir` in a linked worktree. */
  commonDir: string;
  workTree?: string;
  /** Folder from which the search for the repository started. */
  discoveryFolder?: string;
  /** Stable name, which identifies the cache and is compared with the allow list. */
  identity: string;
}
export interface RemoteRepository {
  kind: 'remote';
  /** Address without credentials. */
  url: string;
  /** Configuration with which git authenticates, derived from credentials in the URL. */
  credentials?: Readonly<Record<string, string>>;
  identity: string;
}
export type RepositorySource = LocalRepository | RemoteRepository;
/** Source of a worktree: a repository, or none for a task without a repository. */
export type WorktreeSource = RepositorySource | { kind: 'none'; identity: string };

const SCP_ADDRESS = /^(?:[\w.-]+@)?[\w.-]+:(?!\/\/)[^\s:].*$/;
const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Resolves a repository from the `repo` of a task. A folder must be a git repository; a remote is not contacted. */
export async function resolveSource(repo: string): Promise<Outcome<RepositorySource>> {
  if (repo.startsWith('-') || /[\0\n\r]/.test(repo)) return createUnsupportedFailure(repo);
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.exec(repo);
  if (url) return parseUrlRemote(repo);
  if (/^[a-z0-9+.-]+::/i.test(repo)) return createUnsupportedFailure(repo);
  const path = repo.startsWith('~/') ? join(findHomeFolder(), repo.slice(2)) : resolve(repo);
  const local = (await discoverRepository(path)) ?? (await findBareRepository(path));
  if (local) return success(local);
  if (!isAbsolute(repo) && !repo.startsWith('.') && SCP_ADDRESS.test(repo)) return parseScpRemote(repo);
  return failure(
    'workspace_repo_missing',
    `There is no git repository at ${path}. Name a folder with a git repository, an https:// or an ssh URL`,
  );
}

/** Finds a bare repository whose name ends with `.git`, since the public hub removes that ending from a task's repository. */
export async function findBareRepository(path: string): Promise<LocalRepository | undefined> {
  const repository = await discoverRepository(`${path}.git`);
  return repository?.path === (await realpath(`${path}.git`).catch(() => undefined)) ? repository : undefined;
}

/** Finds the repository that contains the folder `path`. Reads the files without git, so that no program of the repository can run. */
export async function discoverRepository(path: string): Promise<LocalRepository | undefined> {
  const searchStart = await realpath(path).catch(() => undefined);
  if (searchStart === undefined || !(await isFolder(searchStart))) return undefined;
  for (let folder = searchStart; ; folder = dirname(folder)) {
    const dotGit = await findGitDir(join(folder, '.git'));
    if (dotGit)
      return {
        kind: 'local',
        path: folder,
        ...dotGit,
        workTree: folder,
        discoveryFolder: searchStart,
        identity: dotGit.commonDir,
      };
    const bare = folder === searchStart ? await findGitDir(folder) : undefined;
    if (bare)
      return { kind: 'local', path: folder, ...bare, discoveryFolder: searchStart, identity: bare.commonDir };
    if (dirname(folder) === folder) return undefined;
  }
}

/** Returns the git dir at a path, following the `.git` file of a linked worktree; undefined if `path` is no git dir. */
export async function findGitDir(path: string): Promise<{ gitDir: string; commonDir: string } | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return undefined;
  const pointer = stats.isFile() ? /^gitdir: (.+?)\n*$/.exec((await readSmallFile(path)) ?? '') : undefined;
  const gitDir = pointer?.[1] === undefined ? path : resolve(dirname(path), pointer[1]);
  const commonFile = join(gitDir, 'commondir');
  const commonText = await readSmallFile(commonFile);
  // With a link in place of this file, git would read a file elsewhere.
  if (commonText === undefined && (await lstat(commonFile).catch(() => undefined))) return undefined;
  const common = (commonText ?? '').trim();
  const commonDir = common === '' ? gitDir : resolve(gitDir, common);
  // If HEAD were a pipe, git would wait forever.
  const head = await hasReadableHead(join(gitDir, 'HEAD'));
  const folders = await Promise.all(['objects', 'refs'].map((name) => isFolder(join(commonDir, name))));
  if (![head, ...folders].every(Boolean) || !(await areGitFilesRegular(gitDir, commonDir))) return undefined;
  return { gitDir, commonDir: await realpath(commonDir) };
}

/** Returns whether `path` is a folder that exists. */
export const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

/** Files that git opens by itself. If one of them were a pipe, git would wait forever. */
const GIT_FILES =
  'config config.worktree packed-refs shallow index info/exclude info/attributes info/grafts objects/info/alternates'.split(
    ' ',
  );

async function areGitFilesRegular(gitDir: string, commonDir: string): Promise<boolean> {
  const paths = [gitDir, commonDir].flatMap((folder) => GIT_FILES.map((name) => join(folder, name)));
  const statsList = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return statsList.every((stats) => stats === undefined || stats.isFile());
}

/** Returns whether git can read HEAD: a regular file, or a link to one or to a branch without a commit. */
async function hasReadableHead(path: string): Promise<boolean> {
  const head = await lstat(path).catch(() => undefined);
  if (!head?.isSymbolicLink()) return head?.isFile() ?? false;
  const target = await stat(path).catch(() => undefined);
  return target === undefined || target.isFile();
}

function parseUrlRemote(repo: string): Outcome<RepositorySource> {
  const url = URL.canParse(repo) ? new URL(repo) : undefined;
  const scheme = url?.protocol.slice(0, -1);
  const allowed =
    scheme === 'https' ||
    scheme === 'ssh' ||
    scheme === 'file' ||
    (scheme === 'http' && LOOPBACK_HOST.test(url?.hostname ?? ''));
  if (!url || !allowed || url.hostname.startsWith('-')) return createUnsupportedFailure(repo);
  if (scheme === 'ssh') url.password = '';
  if (scheme === 'ssh' || (url.username === '' && url.password === '')) {
    return success({ kind: 'remote', url: url.href, identity: identityOfUrl(url) });
  }
  const login = Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`);
  url.username = '';
  url.password = '';
  const credentials = {
    [`http.${url.origin}/.extraHeader`]: `Authorization: Basic ${login.toString('base64')}`,
  };
  return success({ kind: 'remote', url: url.href, credentials, identity: identityOfUrl(url) });
}

function parseScpRemote(repo: string): Outcome<RepositorySource> {
  const colon = repo.indexOf(':');
  const identity = `ssh://${repo.slice(0, colon)}/${repo.slice(colon + 1).replace(/^\/+/, '')}`;
  return success({ kind: 'remote', url: repo, identity: trimIdentity(identity) });
}

const identityOfUrl = (url: URL): string =>
  trimIdentity(`${url.protocol}//${url.username === '' ? '' : `${url.username}@`}${url.host}${url.pathname}`);
const trimIdentity = (text: string): string => text.replace(/\/+$/, '').replace(/\.git$/, '');

const createUnsupportedFailure = (repo: string): Outcome<RepositorySource> =>
  failure(
    'workspace_repo_unsupported',
    `The repository address ${maskCredentials(repo).slice(0, 200)} is not supported. Use a local path, https:// or ssh://`,
  );

/** Returns the folder below the repository's root that `path` names; empty at the root. */
export const toRepositoryPath = (source: LocalRepository, path: string): string =>
  source.workTree === undefined ? '' : relative(source.workTree, path);
