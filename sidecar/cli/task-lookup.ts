/** Finds the task of `show` and `apply`: on this machine, else on the hub. */
import type { Config } from '../base/config/schema.ts';
import type { TaskDetail } from '../hub/client/hub-client.ts';
import { HubError } from '../hub/client/hub-error.ts';
import { createUsageError } from './exit-codes.ts';
import { openHub, type HubFlags } from './hub-address.ts';
import { readLastTask } from './last-task.ts';
import { findPastTask, timeOf, type PastTask } from './past-tasks.ts';

export type LocatedTask = { local: PastTask } | { remote: TaskDetail };

/** Finds a task by id or `last` (the newest); with `--hub`, only on that hub. Throws `CommandError` or `HubError`. */
export async function lookUpTask(
  config: Pick<Config, 'worker'>,
  taskName: string,
  flags: HubFlags,
): Promise<LocatedTask> {
  const submittedTask = taskName === 'last' ? await readLastTask() : undefined;
  const local = flags.hub === undefined ? await findPastTask(config, taskName) : undefined;
  const isNewer = submittedTask !== undefined && submittedTask.at > (local ? timeOf(local) : 0);
  if (local && !isNewer) return { local };
  const id = taskName === 'last' ? submittedTask?.task_id : taskName;
  if (id === undefined)
    throw createUsageError('task_unknown', 'No task has run on this machine or was submitted from it.');
  const hubFlags =
    taskName === 'last' && flags.hub === undefined ? { ...flags, hub: submittedTask?.hub } : flags;
  const { client } = await openHub(hubFlags);
  try {
    return { remote: await client.task(id) };
  } catch (error) {
    if (!(error instanceof HubError) || flags.hub !== undefined) throw error;
    const hubText = error.kind === 'request' ? ' or on the hub' : ', and the hub cannot be queried';
    throw createUsageError(
      'task_unknown',
      `Task ${id} was not found on this machine${hubText}: ${error.problem} \`ollama-sidecar show\` lists the tasks of this machine.`,
    );
  }
}
