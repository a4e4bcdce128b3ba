/**
 * Releases ripgrep and git from named pipes that have the name of an ignore file or of another file that they read by itself: they open
 * it, and wait for a writer that never comes. A pipe that is opened for writing and closed again reads as an empty file.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sleep, systemClock } from '../../base/system/clock.ts';
import { findFiles } from './find-files.ts';

const IGNORE_FILES = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.ignore', '.rgignore']);
/** Most calls end earlier, without a walk of the folder. */
const WAIT_MS = 2_000;
const INTERVAL_MS = 50;
const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 100;
/** Fails for a pipe without a reader, and does not follow a link. */
const RELEASE_FLAGS = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Releases the pipes below `folder` until the signal aborts. Never rejects. */
export async function releaseIgnorePipes(folder: string, signal: AbortSignal): Promise<void> {
  await sleep(systemClock, WAIT_MS, signal);
  if (signal.aborted) return;
  const found = await findFiles(folder, {
    maxEntries: MAX_ENTRIES,
    maxDepth: MAX_DEPTH,
    signal,
    matches: (path) => IGNORE_FILES.has(basename(path)),
  });
  const pipes = found.filter(({ dirent }) => dirent.isFIFO()).map(({ path }) => join(folder, path));
  while (pipes.length > 0 && !signal.aborted) {
    for (const pipe of pipes) await open(pipe, RELEASE_FLAGS).then((handle) => handle.close(), ignoreError);
    await sleep(systemClock, INTERVAL_MS, signal);
  }
}

const ignoreError = (): void => undefined;
