/** The task that this user submitted last from this machine, which commands take as `last`. A shared hub's newest may be another user's. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { makeFolder } from '../system/make-folder.ts';
import { shellWord } from '../values/shell-word.ts';
import { workerFolders } from '../worker/folders.ts';
import { usageError } from './exit-codes.ts';

const lastSchema = z.object({ hub: z.string(), task_id: z.string(), at: z.number() });

const lastFile = (): string =>
  join(
    workerFolders({ stateDir: process.env.SIDECAR_STATE_DIR, dataDir: undefined }).stateDir,
    'last-task.json',
  );

/** Records a task as the last one. A folder that cannot be written must not fail a submission; `last` then reports it. */
export async function recordLastTask(hub: string, taskId: string): Promise<void> {
  const path = lastFile();
  try {
    makeFolder(dirname(path));
    await writeFile(path, JSON.stringify({ hub, task_id: taskId, at: Date.now() }), { mode: 0o600 });
  } catch {
    // Nothing else depends on it.
  }
}

/** Returns the task that was submitted last from here; undefined where none was. */
export const lastTask = (): Promise<z.output<typeof lastSchema> | undefined> =>
  readFile(lastFile(), 'utf8')
    .then((text) => lastSchema.parse(JSON.parse(text)))
    .catch(() => undefined);

/** Returns the id of the task that `named` means on the hub at `url`: an id, or `last`. Throws `CommandError`. */
export async function taskIdOf(url: string, named: string): Promise<string> {
  if (named !== 'last') return named;
  const last = await lastTask();
  if (last && new URL(last.hub).href === new URL(url).href) return last.task_id;
  throw usageError(
    'task_unknown',
    last
      ? `The last task that was submitted from here is on another hub: name it with --hub ${shellWord(last.hub)}.`
      : 'No task was submitted from here yet. Name a task by its id; `ollama-sidecar tasks` lists them.',
  );
}
