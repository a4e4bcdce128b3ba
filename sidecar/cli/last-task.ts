/** The last task that this user submitted from this machine, which commands accept as `last`. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { makeFolder } from '../base/system/make-folder.ts';
import { quoteShellWord } from '../base/values/shell-word.ts';
import { workerFolders } from '../worker/folders.ts';
import { usageError } from './exit-codes.ts';

const lastSchema = z.object({ hub: z.string(), task_id: z.string(), at: z.number() });

const lastFile = (): string =>
  join(
    workerFolders({ stateDir: process.env.SIDECAR_STATE_DIR, dataDir: undefined }).stateDir,
    'last-task.json',
  );

/** Records a task as the last one. Ignores a write error, which must not fail a submission. */
export async function recordLastTask(hub: string, taskId: string): Promise<void> {
  const path = lastFile();
  try {
    makeFolder(dirname(path));
    await writeFile(path, JSON.stringify({ hub, task_id: taskId, at: Date.now() }), { mode: 0o600 });
  } catch {
    // `last` then reports that there is no task.
  }
}

/** Returns the task that was last submitted from here; undefined if there is none. */
export const lastTask = (): Promise<z.output<typeof lastSchema> | undefined> =>
  readFile(lastFile(), 'utf8')
    .then((text) => lastSchema.parse(JSON.parse(text)))
    .catch(() => undefined);

/** Resolves `named` (an id, or `last`) to a task's id on the hub at `url`. Throws `CommandError`. */
export async function taskIdOf(url: string, named: string): Promise<string> {
  if (named !== 'last') return named;
  const last = await lastTask();
  if (last && new URL(last.hub).href === new URL(url).href) return last.task_id;
  throw usageError(
    'task_unknown',
    last
      ? `The last task submitted from here is on another hub: give --hub ${quoteShellWord(last.hub)}.`
      : 'No task was submitted from here yet. Name a task by its id; `ollama-sidecar tasks` lists them.',
  );
}
