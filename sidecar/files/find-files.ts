/**
 * Finds what lies below a folder. The bounds stand where folders are read, so that they hold on any tree. Links are named,
 * never followed; a folder that cannot be read has nothing in it.
 */
import type { Dir, Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

const TIMEOUT_MS = 30_000;
/** How many entries are read, selected and matched before the bounds are looked at again. */
const CHUNK = 256;
export const NOT_ENTERED: readonly string[] = ['.git', 'node_modules'];

export interface FoundEntry {
  /** Relative to the folder that is searched. */
  path: string;
  /** Levels below that folder; its own entries are at 1. */
  depth: number;
  dirent: Dirent;
}

export interface FindOptions {
  /** Entries looked at. */
  maxEntries: number;
  /** Levels below the folder; its own entries are the first. */
  maxDepth: number;
  /** Default: 30 000. */
  timeoutMs?: number;
  signal?: AbortSignal;
  onlyFiles?: boolean;
  /** Names of folders whose content is left out. Default: `.git` and `node_modules`. */
  notEntered?: readonly string[];
  /** Called before a folder is read, with its path below the searched one: empty for that itself. */
  onFolder?: (folder: string) => Promise<void>;
  /** Returns where a folder is read, if not at its path. */
  hostOf?: (folder: string) => string;
  /** Selects the entries that the walk continues with, a chunk of one folder at a time. Default: all. */
  select?: (entries: FoundEntry[]) => FoundEntry[] | Promise<FoundEntry[]>;
  /** Returns whether an entry is wanted. Default: all are. */
  matches?: (path: string) => boolean;
}

/** Returns the wanted entries below the absolute path `top`, upper folders first, as far as the bounds and the signal allow. Does not reject. */
export async function findFiles(top: string, options: FindOptions): Promise<FoundEntry[]> {
  const { maxEntries, maxDepth, timeoutMs = TIMEOUT_MS, signal, onlyFiles = false } = options;
  const { notEntered = NOT_ENTERED, onFolder, hostOf = (folder) => join(top, folder) } = options;
  const { select = (entries) => entries, matches = () => true } = options;
  const endMs = performance.now() + timeoutMs;
  const found: FoundEntry[] = [];
  let entriesLeft = maxEntries;
  const isOver = () => entriesLeft <= 0 || signal?.aborted === true || performance.now() > endMs;

  /** Collects the wanted entries of a chunk; returns the folders to enter. */
  const take = async (chunk: FoundEntry[]): Promise<string[]> => {
    const selected = await select(chunk);
    for (const entry of selected)
      if ((!onlyFiles || entry.dirent.isFile()) && matches(entry.path)) found.push(entry);
    return selected
      .filter(
        ({ depth, dirent }) => depth < maxDepth && dirent.isDirectory() && !notEntered.includes(dirent.name),
      )
      .map(({ path }) => path);
  };
  const readFolder = async (folder: string): Promise<string[]> => {
    await onFolder?.(folder);
    const prefix = folder === '' ? '' : `${folder}/`;
    const depth = prefix.split('/').length;
    const folders: string[] = [];
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
  const queue = [''];
  // Folders are added while the queue is walked.
  for (const folder of queue) {
    if (isOver()) break;
    queue.push(...(await readFolder(folder).catch(() => [])));
  }
  return found;
}

/** Reads the next entries of an open folder; fewer than `count` only at its end. A promise for each would take longer. */
function nextEntries(folder: Dir, count: number): Dirent[] {
  const entries: Dirent[] = [];
  while (entries.length < count) {
    const entry = folder.readSync();
    if (entry === null) break;
    entries.push(entry);
  }
  return entries;
}
