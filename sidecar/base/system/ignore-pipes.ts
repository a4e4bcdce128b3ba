/**
 * Releases ripgrep and git from named pipes that have the name of an ignore file or of another file that they read by themselves: they
 * open it, and wait for a writer that never comes. A pipe that is opened for writing and closed again reads as an empty file.
 */
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, systemClock } from './clock.ts';

const READ_FILES = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.ignore', '.rgignore']);
const NOT_ENTERED = new Set(['.git', 'node_modules']);
/** Most calls end earlier, without a walk of the folder. */
const WAIT_MS = 2_000;
const INTERVAL_MS = 50;
const MAX_FOLDERS = 50_000;
/** Fails for a pipe without a reader, and does not follow a link. */
const RELEASE_FLAGS = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Releases the pipes below `folder` until the signal aborts. Never rejects. */
export async function releaseIgnorePipes(folder: string, signal: AbortSignal): Promise<void> {
  await sleep(systemClock, WAIT_MS, signal);
  const pipes = await findPipes(folder, signal);
  while (pipes.length > 0 && !signal.aborted) {
    for (const pipe of pipes) await open(pipe, RELEASE_FLAGS).then((handle) => handle.close(), ignoreError);
    await sleep(systemClock, INTERVAL_MS, signal);
  }
}

/** Finds the pipes, upper folders first. A folder that cannot be read has none. */
async function findPipes(top: string, signal: AbortSignal): Promise<string[]> {
  const pipes: string[] = [];
  const folders = [top];
  for (const folder of folders) {
    if (signal.aborted) break;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isFIFO() && READ_FILES.has(entry.name)) pipes.push(path);
      else if (entry.isDirectory() && !NOT_ENTERED.has(entry.name) && folders.length < MAX_FOLDERS)
        folders.push(path);
    }
  }
  return pipes;
}

const ignoreError = (): void => undefined;
