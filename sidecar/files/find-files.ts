/**
 * Finds what lies below a folder, with fast-glob. The bounds stand where folders are read, so that they hold on any tree.
 * Links are named, never followed; a folder that cannot be read has nothing in it.
 *
 * fast-glob only walks. It matches a path with one regular expression, which can take minutes; `compileGlob` takes linear
 * time. With its `stats`, one file that is gone by then, or whose name is not UTF-8, costs all entries of its folder.
 */
import { opendir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fastGlob from 'fast-glob';

const TIMEOUT_MS = 30_000;
/** So many entries are read, selected and matched before the bounds are looked at again. */
const CHUNK = 256;
const NOT_ENTERED: readonly string[] = ['.git', 'node_modules'];

export interface FoundEntry {
  /** Relative to the folder that is searched. */
  path: string;
  dirent: fastGlob.Entry['dirent'];
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
  /** Where a folder is read, if not where its path says. */
  hostOf?: (folder: string) => string;
  /** Which entries the walk goes on with, a chunk of one folder at a time. Default: all. */
  select?: (entries: FoundEntry[]) => FoundEntry[] | Promise<FoundEntry[]>;
  /** Which entries are wanted. Default: all. */
  matches?: (path: string) => boolean;
}

/** The wanted files below the absolute path `top`, as far as the bounds or the signal let them be found. Does not reject. */
export async function findFiles(top: string, options: FindOptions): Promise<FoundEntry[]> {
  const { maxEntries, maxDepth, timeoutMs = TIMEOUT_MS, signal, onlyFiles = false, matches } = options;
  const { notEntered = NOT_ENTERED, onFolder, hostOf = (folder) => join(top, folder), select } = options;
  const endMs = performance.now() + timeoutMs;
  let entriesLeft = maxEntries;
  const isOver = () => signal?.aborted === true || performance.now() > endMs;

  const read = async (path: string): Promise<FoundEntry['dirent'][]> => {
    const folder = relative(top, path);
    if (entriesLeft <= 0 || isOver() || notEntered.includes(basename(folder))) return [];
    await onFolder?.(folder);
    const kept: FoundEntry['dirent'][] = [];
    let chunk: FoundEntry[] = [];
    const endChunk = async () => {
      const selected = select ? await select(chunk) : chunk;
      kept.push(...selected.map(({ dirent }) => dirent));
      chunk = [];
    };
    for await (const dirent of await opendir(hostOf(folder), { bufferSize: CHUNK })) {
      if ((entriesLeft -= 1) < 0) break;
      chunk.push({ path: join(folder, dirent.name), dirent });
      if (chunk.length < CHUNK) continue;
      await endChunk();
      if (isOver()) break;
    }
    await endChunk();
    return kept;
  };
  const found: FoundEntry[] = await fastGlob('**/*', {
    cwd: top,
    deep: maxDepth,
    dot: true,
    onlyFiles,
    unique: false,
    objectMode: true,
    followSymbolicLinks: false,
    suppressErrors: true,
    fs: { readdir: withCallback(read) },
  });
  return matches ? await matching(found, matches, isOver) : found;
}

/** fast-glob asks for entries in the way of Node's callbacks. A folder that cannot be read is empty. */
function withCallback(
  read: (path: string) => Promise<FoundEntry['dirent'][]>,
): fastGlob.FileSystemAdapter['readdir'] {
  const answer = async (path: string, done: ReaddirDone): Promise<void> =>
    done(null, await read(path).catch(() => []));
  const readdir = (path: string, _options: unknown, done: ReaddirDone): void => {
    void answer(path, done);
  };
  return readdir as fastGlob.FileSystemAdapter['readdir'];
}

type ReaddirDone = (error: NodeJS.ErrnoException | null, entries: FoundEntry['dirent'][]) => void;

async function matching(
  found: readonly FoundEntry[],
  matches: (path: string) => boolean,
  isOver: () => boolean,
): Promise<FoundEntry[]> {
  const wanted: FoundEntry[] = [];
  for (let at = 0; at < found.length && !isOver(); at += CHUNK) {
    wanted.push(...found.slice(at, at + CHUNK).filter(({ path }) => matches(path)));
    await nextTurn();
  }
  return wanted;
}
