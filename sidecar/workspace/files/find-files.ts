/**
 * Finds files below a folder, upper folders first. The limits are checked while folders are read, so that they apply to any tree. Links are
 * listed and never followed. A folder that cannot be read counts as empty.
 */
import type { Dir, Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

const TIMEOUT_MS = 30_000;
/** Number of entries that are processed before the limits are checked again. */
const CHUNK_ENTRIES = 256;
const SKIPPED_FOLDERS: readonly string[] = ['.git', 'node_modules'];

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
  /** Time limit of the search in milliseconds. Default: 30,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
  onlyFiles?: boolean;
  /** Names of folders whose content is skipped. Default: `.git` and `node_modules`. */
  skippedFolders?: readonly string[];
  /** Returns the path on this host from which to read a folder. Default: the folder below the searched one. */
  hostPathOf?: (folder: string) => string;
  /** Selects the entries with which the search continues. Called with up to 256 entries of one folder at a time. Default: all. */
  select?: (entries: FoundEntry[]) => FoundEntry[] | Promise<FoundEntry[]>;
  /** Selects the entries of the result. Default: all. */
  matches?: (path: string) => boolean;
}

/** Returns the matching entries below the absolute path `root`, within the limits and until the signal aborts. Never rejects. */
export async function findFiles(root: string, options: FindOptions): Promise<FoundEntry[]> {
  const { maxEntries, maxDepth, timeoutMs = TIMEOUT_MS, signal, onlyFiles = false } = options;
  const { skippedFolders = SKIPPED_FOLDERS, hostPathOf = (folder) => join(root, folder) } = options;
  const { select = (entries) => entries, matches = () => true } = options;
  const endMs = performance.now() + timeoutMs;
  const found: FoundEntry[] = [];
  let remainingEntries = maxEntries;
  const isOver = () => remainingEntries <= 0 || signal?.aborted === true || performance.now() > endMs;

  /** Adds the matching entries of a chunk to the result. Returns the folders to search next. */
  const addChunk = async (chunk: FoundEntry[]): Promise<string[]> => {
    const selected = await select(chunk);
    for (const entry of selected)
      if ((!onlyFiles || entry.dirent.isFile()) && matches(entry.path)) found.push(entry);
    return selected
      .filter(({ dirent, depth }) => dirent.isDirectory() && depth < maxDepth)
      .filter(({ dirent }) => !skippedFolders.includes(dirent.name))
      .map(({ path }) => path);
  };
  const readFolder = async (folder: string): Promise<void> => {
    const prefix = folder === '' ? '' : `${folder}/`;
    const depth = prefix.split('/').length;
    const opened = await opendir(hostPathOf(folder), { bufferSize: CHUNK_ENTRIES });
    try {
      for (let isEnd = false; !isEnd; isEnd ||= isOver()) {
        const dirents = readNextEntries(opened, Math.min(CHUNK_ENTRIES, remainingEntries));
        remainingEntries -= dirents.length;
        folders.push(
          ...(await addChunk(dirents.map((dirent) => ({ path: prefix + dirent.name, depth, dirent })))),
        );
        isEnd = dirents.length < CHUNK_ENTRIES;
        if (!isEnd) await nextTurn();
      }
    } finally {
      opened.closeSync();
    }
  };
  const folders = [''];
  for (const folder of folders) {
    if (isOver()) break;
    await readFolder(folder).catch(() => undefined);
  }
  return found;
}

/**
 * Returns the next entries of an open folder; fewer than `count` only at its end. Reads synchronously, since a promise for each entry would
 * take longer.
 */
function readNextEntries(folder: Dir, count: number): Dirent[] {
  const entries: Dirent[] = [];
  while (entries.length < count) {
    const entry = folder.readSync();
    if (entry === null) break;
    entries.push(entry);
  }
  return entries;
}
