/**
 * Decides which repositories a worker may work on. A folder of this machine can refer to other repositories by a `.git` file, by
 * `commondir`, by object stores or by links. Therefore every repository that git would read must be allowed.
 */
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findHomeFolder } from '../base/system/home-folder.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import { findBareRepository, discoverRepository } from './repository-source.ts';
import type { LocalRepository, RepositorySource } from './repository-source.ts';

/**
 * Returns the part of the source that the operator's list does not allow; undefined if all of it is allowed. Globs are compared with real
 * paths, and with URLs without credentials, with and without `.git`. `*` stays within one component, `**` does not. An empty list allows
 * everything.
 */
export async function findForbiddenPart(
  source: RepositorySource,
  allowedRepos: readonly string[],
): Promise<string | undefined> {
  if (allowedRepos.length === 0) return undefined;
  const patterns = allowedRepos.map(globToRegExp);
  const matches = (name: string): boolean => patterns.some((pattern) => pattern.test(name));
  if (source.kind === 'local') return findForbiddenLocalPart(source, matches);
  const { identity, url } = source;
  if (/^file:/i.test(url)) return findForbiddenFilePart(url, identity, matches);
  return matches(identity) || matches(`${identity}.git`) ? undefined : identity;
}

/** Checks a `file://` repository. git serves it from its folder, including the object stores that it borrows. */
async function findForbiddenFilePart(
  url: string,
  identity: string,
  matches: (name: string) => boolean,
): Promise<string | undefined> {
  const path = toLocalPath(url);
  const repository =
    path === undefined ? undefined : ((await discoverRepository(path)) ?? (await findBareRepository(path)));
  if (repository === undefined) return identity;
  return findForbiddenLocalPart(repository, (name) => matches(name) || matches(`file://${name}`));
}

function toLocalPath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    // The URL names another host, so it has no path on this machine.
    return undefined;
  }
}

/** Returns the first path that git would read outside of the allowed repositories. */
async function findForbiddenLocalPart(
  { path, gitDir, commonDir }: LocalRepository,
  matches: (name: string) => boolean,
): Promise<string | undefined> {
  if (!matches(path) && !matches(join(path, '.git'))) return path;
  const common = await realpath(commonDir);
  const isInAllowedRepository = (place: string): boolean => matches(place) || matches(repositoryOf(place));
  const isAllowed = (place: string): boolean =>
    isInAllowedRepository(place) || (place.startsWith(common + sep) && isInAllowedRepository(common));
  const queue = [gitDir, commonDir];
  const seen = new Set<string>();
  for (let gitPath = queue.pop(); gitPath !== undefined; gitPath = queue.pop()) {
    const realFolder = await realpath(gitPath).catch(() => undefined);
    if (realFolder === undefined || !isAllowed(realFolder)) return realFolder ?? gitPath;
    if (seen.has(realFolder)) continue;
    seen.add(realFolder);
    const entries = await readdir(realFolder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const below = join(realFolder, entry.name);
      if (entry.isDirectory() && !UNSCANNED_FOLDERS.has(entry.name)) queue.push(below);
      // HEAD may be a dangling link, to a branch that has no commit yet.
      else if (entry.isSymbolicLink() && (await hasTarget(below))) queue.push(below);
      if (entry.name !== 'alternates' || !realFolder.endsWith(join(sep, 'objects', 'info'))) continue;
      const listedStores = await readStoreList(below);
      if (listedStores === undefined) return below;
      queue.push(...listedStores.map((store) => resolve(dirname(realFolder), store)));
    }
  }
  return undefined;
}

/** Subfolders of a git folder that git does not read for a task. */
const UNSCANNED_FOLDERS = new Set(['worktrees', 'modules', 'hooks', 'logs', 'lfs']);

/**
 * Reads the list of object stores in a file. Returns undefined for a file that git may accept and this function does not: a link, a long
 * file, a name in quotes.
 */
async function readStoreList(path: string): Promise<string[] | undefined> {
  const lines = (await readSmallFile(path))
    ?.split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines?.some((line) => line.startsWith('"')) ? undefined : lines;
}

const hasTarget = async (link: string): Promise<boolean> =>
  (await stat(link).catch(() => undefined)) !== undefined;

/** Returns the repository to which a git folder, or a folder in it, belongs: the path of its work tree, or of the bare repository. */
const repositoryOf = (path: string): string =>
  /\/\.git(?:\/|$)/.test(path)
    ? path.replace(/\/\.git(?:\/.*)?$/, '')
    : path.replace(/\/(?:objects|refs)(?:\/.*)?$/, '');

function globToRegExp(glob: string): RegExp {
  const body = (glob.startsWith('~/') ? join(findHomeFolder(), glob.slice(2)) : glob)
    .replace(/\/+$/, '')
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\*\*|\*|\?/g, (mark) => ({ '**': '.*', '*': '[^/]*', '?': '[^/]' })[mark] ?? '');
  return new RegExp(`^${body}$`);
}
