/**
 * Lists a folder for the model: at most 500 entries, five levels deep, links not followed.
 * What lies in `.git` and `node_modules` is not listed when going deeper; the folders themselves are.
 */
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DirectoryListing, FileStat } from '../ports.ts';
import { compileGlob, type PathMatcher } from './glob-pattern.ts';

export const MAX_ENTRIES = 500;
export const MAX_DEPTH = 5;
/** Entries looked at, so that a listing of a huge tree ends; those beyond are not counted as omitted. */
const MAX_VISITED = 50_000;
const NOT_ENTERED = new Set(['.git', 'node_modules']);

/**
 * Entries of `folder` (a real path), each with its path relative to the workspace: `shownFolder` is the
 * folder's own. `options.shown` has the folders whose content lies elsewhere, by their paths below `folder`. Rejects with the system's error when the folder itself cannot be read.
 */
export async function listEntries(
  folder: string,
  shownFolder: string,
  options: { recursive?: boolean; pattern?: string; shown?: ReadonlyMap<string, string> },
): Promise<DirectoryListing> {
  const matches = nameMatcher(options.pattern);
  const listing: DirectoryListing = { entries: [], omitted: 0 };
  const prefix = shownFolder === '.' ? '' : `${shownFolder}/`;
  const open = [{ path: '', host: folder, depth: 1 }];
  let visited = 0;
  for (let next = open.shift(); next && visited < MAX_VISITED; next = open.shift()) {
    const { path, host, depth } = next;
    for (const entry of await readSorted(host, depth === 1)) {
      if ((visited += 1) > MAX_VISITED) break;
      const child = path ? `${path}/${entry.name}` : entry.name;
      if (options.recursive && entry.isDirectory() && depth < MAX_DEPTH && !NOT_ENTERED.has(entry.name)) {
        const childHost = options.shown?.get(child) ?? join(host, entry.name);
        open.push({ path: child, host: childHost, depth: depth + 1 });
      }
      if (!matches(child)) continue;
      if (listing.entries.length >= MAX_ENTRIES) listing.omitted += 1;
      else listing.entries.push(await describe(join(host, entry.name), prefix + child, entry));
    }
  }
  listing.entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return listing;
}

/** A pattern without a slash is about names, one with a slash about paths below the listed folder. */
function nameMatcher(pattern: string | undefined): PathMatcher {
  if (pattern === undefined || pattern === '') return () => true;
  const matches = compileGlob(pattern);
  return pattern.includes('/') ? matches : (path) => matches(path.slice(path.lastIndexOf('/') + 1));
}

async function readSorted(folder: string, mustExist: boolean): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    // A folder below that is unreadable or gone is listed without content.
    if (mustExist) throw error;
    return [];
  });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function describe(
  path: string,
  shown: string,
  entry: Dirent,
): Promise<DirectoryListing['entries'][number]> {
  const stats = await lstat(path).catch(() => undefined);
  return { path: shown, type: typeOf(stats ?? entry), sizeBytes: stats?.size ?? 0 };
}

/** The kind of an entry, links not followed. */
export function typeOf(stats: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): FileStat['type'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}
