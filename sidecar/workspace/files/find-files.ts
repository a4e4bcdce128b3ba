/**
 * Finds files below a folder, with fast-glob. The limits are checked while folders are read, so that they hold on any tree.
 * Links are listed, never followed; a folder that cannot be read counts as empty.
 *
 * fast-glob only walks the folders and gets no pattern: it would match a path with one regular expression, which can take
 * minutes, while `compileGlob` takes linear time.
 */
import type { Dir, Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fastGlob from 'fast-glob';

const TIMEOUT_MS = 30_000;
/** Number of entries that are read, selected and matched before the bounds are checked again. */
const CHUNK = 256;
export const NOT_ENTERED: readonly string[] = ['.git', 'node_modules'];

export interface FoundEntry {
  /** Path relative to the searched folder. */
  path: string;
  /** Number of levels below the searched folder; its own entries have depth 1. */
  depth: number;
  dirent: Dirent;
}

export interface FindOptions {
  /** Maximum number of entries read. */
  maxEntries: number;
  /** Maximum depth below the folder; its own entries have depth 1. */
  maxDepth: number;
  /** Time limit of the search. Default: 30 000. */
  timeoutMs?: number;
  signal?: AbortSignal;
  onlyFiles?: boolean;
  /** Names of folders whose content is skipped. Default: `.git` and `node_modules`. */
  notEntered?: readonly string[];
  /** Called before a folder is read, with its path below the searched one; empty for the searched one itself. */
  onFolder?: (folder: string) => Promise<void>;
  /** Returns the path from which a folder is read, if it is not its own. */
  hostOf?: (folder: string) => string;
  /** Selects the entries with which the walk continues, a chunk of one folder at a time. Default: all. */
  select?: (entries: FoundEntry[]) => FoundEntry[] | Promise<FoundEntry[]>;
  /** Selects the entries of the result. Default: all. */
  matches?: (path: string) => boolean;
}

/** Returns the wanted entries below the absolute path `top`, as far as the bounds and the signal allow. Never rejects. */
export async function findFiles(top: string, options: FindOptions): Promise<FoundEntry[]> {
  const { maxEntries, maxDepth, timeoutMs = TIMEOUT_MS, signal, onlyFiles = false } = options;
  const { notEntered = NOT_ENTERED, onFolder, hostOf = (folder) => join(top, folder) } = options;
  const { select = (entries) => entries, matches = () => true } = options;
  const endMs = performance.now() + timeoutMs;
  const found: FoundEntry[] = [];
  let entriesLeft = maxEntries;
  const isOver = () => entriesLeft <= 0 || signal?.aborted === true || performance.now() > endMs;

  /** Collects the wanted entries of a chunk; returns its folders. */
  const take = async (chunk: FoundEntry[]): Promise<Dirent[]> => {
    const selected = await select(chunk);
    for (const entry of selected)
      if ((!onlyFiles || entry.dirent.isFile()) && matches(entry.path)) found.push(entry);
    return selected.map(({ dirent }) => dirent).filter((dirent) => dirent.isDirectory());
  };
  const foldersIn = async (folder: string): Promise<Dirent[]> => {
    if (isOver() || notEntered.includes(basename(folder))) return [];
    await onFolder?.(folder);
    const prefix = folder === '' ? '' : `${folder}/`;
    const depth = prefix.split('/').length;
    const folders: Dirent[] = [];
    const opened = await opendir(hostOf(folder), { bufferSize: CHUNK });
    try {
      for (let isEnd = false; !isEnd; isEnd ||= isOver()) {
        const dirents = nextEntries(opened, Math.min(CHUNK, entriesLeft));
        entriesLeft -= dirents.length;
        folders.push(
          ...(await take(dirents.map((dirent) => ({ path: prefix + dirent.name, depth, dirent })))),
        );
        isEnd = dirents.length < CHUNK;
        if (!isEnd) await nextTurn();
      }
    } finally {
      opened.closeSync();
    }
    return folders;
  };
  // A folder that cannot be read is empty. fast-glob calls this in Node's callback style.
  const answer = async (path: string, done: (error: null, entries: Dirent[]) => void): Promise<void> =>
    done(null, await foldersIn(relative(top, path)).catch(() => []));
  const readdir = (path: string, _options: unknown, done: Parameters<typeof answer>[1]): void =>
    void answer(path, done);
  await fastGlob('**/', {
    cwd: top,
    deep: maxDepth,
    dot: true,
    onlyDirectories: true,
    unique: false,
    followSymbolicLinks: false,
    suppressErrors: true,
    fs: { readdir: readdir as unknown as fastGlob.FileSystemAdapter['readdir'] },
  });
  return found;
}

/** Returns the next entries of an open folder; fewer than `count` only at its end. A promise for each would take longer. */
function nextEntries(folder: Dir, count: number): Dirent[] {
  const entries: Dirent[] = [];
  while (entries.length < count) {
    const entry = folder.readSync();
    if (entry === null) break;
    entries.push(entry);
  }
  return entries;
}
