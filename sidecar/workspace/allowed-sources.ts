/**
 * Decides which repositories a worker may work on. A folder of this machine can refer to other repositories by a `.git` file, by
 * `commondir`, by object stores or by links. Therefore every repository that git would read must be allowed.
 */
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findHomeFolder } from '../base/system/home-folder.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import { bareBeside, discoverRepository } from './repository-source.ts';
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
  const patterns = allowedRepos.map(globPattern);
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
  const path = localPath(url);
  const found =
    path === undefined ? undefined : ((await discoverRepository(path)) ?? (await bareBeside(path)));
  if (found === undefined) return identity;
  return findForbiddenLocalPart(found, (name) => matches(name) || matches(`file://${name}`));
}

function localPath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    // The URL names another host.
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
  const isOfAllowed = (place: string): boolean => matches(place) || matches(ownerOf(place));
  const isAllowed = (place: string): boolean =>
    isOfAllowed(place) || (place.startsWith(common + sep) && isOfAllowed(common));
  const queue = [gitDir, commonDir];
  const seen = new Set<string>();
  for (let named = queue.pop(); named !== undefined; named = queue.pop()) {
    const place = await realpath(named).catch(() => undefined);
    if (place === undefined || !isAllowed(place)) return place ?? named;
    if (seen.has(place)) continue;
    seen.add(place);
    const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const below = join(place, entry.name);
      if (entry.isDirectory() && !NOT_READ.has(entry.name)) queue.push(below);
      // HEAD may be a dangling link, to a branch that has no commit yet.
      else if (entry.isSymbolicLink() && (await leadsSomewhere(below))) queue.push(below);
      if (entry.name !== 'alternates' || !place.endsWith(join(sep, 'objects', 'info'))) continue;
      const stores = await storesNamedIn(below);
      if (stores === undefined) return below;
      queue.push(...stores.map((store) => resolve(dirname(place), store)));
    }
  }
  return undefined;
}

/** Subfolders of a git folder that git does not read for a task. */
const NOT_READ = new Set(['worktrees', 'modules', 'hooks', 'logs', 'lfs']);

/**
 * Reads the list of object stores in a file. Returns undefined for a file that git may accept and this function does not: a link, a long
 * file, a name in quotes.
 */
async function storesNamedIn(path: string): Promise<string[] | undefined> {
  const lines = (await readSmallFile(path))
    ?.split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines?.some((line) => line.startsWith('"')) ? undefined : lines;
}

const leadsSomewhere = async (link: string): Promise<boolean> =>
  (await stat(link).catch(() => undefined)) !== undefined;

/** Returns the repository to which a git folder, or a folder in it, belongs: the path of its work tree, or of the bare repository. */
const ownerOf = (place: string): string =>
  /\/\.git(?:\/|$)/.test(place)
    ? place.replace(/\/\.git(?:\/.*)?$/, '')
    : place.replace(/\/(?:objects|refs)(?:\/.*)?$/, '');

function globPattern(glob: string): RegExp {
  const body = (glob.startsWith('~/') ? join(findHomeFolder(), glob.slice(2)) : glob)
    .replace(/\/+$/, '')
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\*\*|\*|\?/g, (mark) => ({ '**': '.*', '*': '[^/]*', '?': '[^/]' })[mark] ?? '');
  return new RegExp(`^${body}$`);
}
