/**
 * Lists a folder for the model: at most 500 entries, five levels deep. Links are not followed. A recursive listing contains `.git` and
 * `node_modules` without their content.
 */
import type { Dirent } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DirectoryListing, FileStat } from '../../base/ports.ts';
import { EnvironmentError } from './environment-error.ts';
import { findFiles, type FoundEntry } from './find-files.ts';
import { compileModelGlob, type PathMatcher } from './glob-pattern.ts';
import type { ResolvedPath, WorkspacePaths } from './workspace-paths.ts';

const MAX_LISTED = 500;
const MAX_DEPTH = 5;
/** Maximum number of entries that are read, so that the listing of a huge tree ends. Entries beyond it are not counted as omitted. */
const MAX_ENTRIES = 50_000;

/** Lists the entries of `folder`, with paths relative to the workspace. Rejects with `EnvironmentError`. */
export async function listEntries(
  paths: WorkspacePaths,
  folder: ResolvedPath,
  options: { recursive?: boolean; pattern?: string; signal?: AbortSignal },
): Promise<DirectoryListing> {
  const { recursive, pattern, signal } = options;
  const matches = pattern ? compileNameMatcher(pattern) : undefined;
  const opened = await paths.openFolder(folder.absolute, folder.shownPath);
  try {
    const hostPathOf = (subpath: string): string => {
      const absolute = join(folder.absolute, subpath);
      return paths.findShownFolder(absolute) ? paths.toHostPath(absolute) : opened.entry(subpath);
    };
    const found = await findFiles(opened.entry(''), {
      maxEntries: MAX_ENTRIES,
      maxDepth: recursive ? MAX_DEPTH : 1,
      signal,
      hostPathOf,
      ...(matches ? { matches } : {}),
    });
    if (signal?.aborted) throw new EnvironmentError('ABORTED', 'The listing was aborted');
    const listed = selectListedEntries(found);
    const entries = listed.map(async ({ path, dirent }) => {
      const stats = await lstat(join(hostPathOf(dirname(path)), dirent.name)).catch(() => undefined);
      const shown = folder.shownPath === '.' ? path : `${folder.shownPath}/${path}`;
      return { path: shown, type: typeOf(stats ?? dirent), sizeBytes: stats?.size ?? 0 };
    });
    return {
      entries: (await Promise.all(entries)).sort(compareByPath),
      omittedCount: found.length - listed.length,
    };
  } finally {
    await opened.close();
  }
}

const compareByPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);

/** Returns the entries that fit into a listing, upper folders first. */
const selectListedEntries = (entries: readonly FoundEntry[]): FoundEntry[] =>
  entries.toSorted((a, b) => a.depth - b.depth || compareByPath(a, b)).slice(0, MAX_LISTED);

/** Compiles a pattern: without a slash it matches names, with one it matches paths below the listed folder. */
function compileNameMatcher(pattern: string): PathMatcher {
  const matches = compileModelGlob(pattern);
  return pattern.includes('/') ? matches : (path) => matches(basename(path));
}

/** Returns the kind of an entry, links not followed. */
export function typeOf(stats: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): FileStat['type'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}
