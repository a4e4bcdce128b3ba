/** The last task that this user submitted from this machine, which commands accept as `last`. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { makeFolder } from '../base/system/make-folder.ts';
import { quoteShellWord } from '../base/values/shell-word.ts';
import { resolveWorkerFolders } from '../worker/folders.ts';
import { createUsageError } from './exit-codes.ts';

const lastTaskSchema = z.object({ hub: z.string(), task_id: z.string(), at: z.number() });

const findLastTaskFile = (): string =>
  join(
    resolveWorkerFolders({ stateDir: process.env.SIDECAR_STATE_DIR, dataDir: undefined }).stateDir,
    'last-task.json',
  );

/** Records a task as the last one. Ignores a failed write, because the submission itself succeeded. */
export async function recordLastTask(hub: string, taskId: string): Promise<void> {
  const path = findLastTaskFile();
  try {
    makeFolder(dirname(path));
    await writeFile(path, JSON.stringify({ hub, task_id: taskId, at: Date.now() }), { mode: 0o600 });
  } catch {
    // Without the file, `last` reports that there is no task.
  }
}

/** Returns the task that was last submitted from this machine; undefined if there is none. */
export const readLastTask = (): Promise<z.output<typeof lastTaskSchema> | undefined> =>
  readFile(findLastTaskFile(), 'utf8')
    .then((text) => lastTaskSchema.parse(JSON.parse(text)))
    .catch(() => undefined);

/** Resolves `taskName` (an id, or `last`) to a task's id on the hub at `url`. Throws `CommandError`. */
export async function resolveTaskId(url: string, taskName: string): Promise<string> {
  if (taskName !== 'last') return taskName;
  const last = await readLastTask();
  if (last && new URL(last.hub).href === new URL(url).href) return last.task_id;
  throw createUsageError(
    'task_unknown',
    last
      ? `The last task submitted from this machine is on another hub. Use --hub ${quoteShellWord(last.hub)}.`
      : 'No task was submitted from this machine yet. Name a task by its id; `ollama-sidecar tasks` lists them.',
  );
}
