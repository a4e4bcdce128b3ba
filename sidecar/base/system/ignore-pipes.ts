/**
 * Releases ripgrep and git if they wait for a named pipe. They read files such as `.gitignore` by themselves. If a repository contains a
 * pipe with such a name, they open it and wait for a writer that never comes. A pipe that is opened for writing and closed again reads as
 * an empty file.
 */
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, systemClock } from './clock.ts';

const GIT_READ_FILES = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.ignore', '.rgignore']);
const SKIPPED_FOLDERS = new Set(['.git', 'node_modules']);
/** Wait before the folder is searched for pipes. Most calls of ripgrep and git end earlier, so they need no search. */
const WAIT_MS = 2_000;
const INTERVAL_MS = 50;
const MAX_FOLDERS = 50_000;
/** Flags for opening a pipe. Opening fails if the pipe has no reader, or if the path is a link. */
const RELEASE_FLAGS = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Runs git or ripgrep, and releases the pipes below `folder` until it has ended. */
export async function runWithReleasedPipes<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const releasing = releasePipes(folder, ended.signal);
  try {
    return await run();
  } finally {
    ended.abort();
    await releasing;
  }
}

/** Releases the pipes below `folder` until the signal aborts. Never rejects. */
async function releasePipes(folder: string, signal: AbortSignal): Promise<void> {
  await sleep(systemClock, WAIT_MS, signal);
  const pipes = await findPipes(folder, signal);
  while (pipes.length > 0 && !signal.aborted) {
    for (const pipe of pipes) await open(pipe, RELEASE_FLAGS).then((handle) => handle.close(), ignoreError);
    await sleep(systemClock, INTERVAL_MS, signal);
  }
}

/** Finds the pipes below `top`, those in upper folders first. Skips folders that cannot be read. */
async function findPipes(top: string, signal: AbortSignal): Promise<string[]> {
  const pipes: string[] = [];
  const folders = [top];
  for (const folder of folders) {
    if (signal.aborted) break;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isFIFO() && GIT_READ_FILES.has(entry.name)) pipes.push(path);
      else if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name) && folders.length < MAX_FOLDERS)
        folders.push(path);
    }
  }
  return pipes;
}

const ignoreError = (): void => undefined;
