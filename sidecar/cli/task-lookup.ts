/** Finds the task of `show` and `apply`: on this machine, else on the hub. */
import type { Config } from '../base/config/schema.ts';
import type { TaskDetail } from '../hub/client/hub-client.ts';
import { HubError } from '../hub/client/hub-error.ts';
import { createUsageError } from './exit-codes.ts';
import { openHub, type HubFlags } from './hub-address.ts';
import { readLastTask } from './last-task.ts';
import { findPastTask, timeOf, type PastTask } from './past-tasks.ts';

export type LocatedTask = { here: PastTask } | { onHub: TaskDetail };

/** Finds a task by id or `last` (the newest here), with `--hub` only there. Throws `CommandError` or `HubError`. */
export async function lookUpTask(
  config: Pick<Config, 'worker'>,
  taskName: string,
  flags: HubFlags,
): Promise<LocatedTask> {
  const submittedTask = taskName === 'last' ? await readLastTask() : undefined;
  const here = flags.hub === undefined ? await findPastTask(config, taskName) : undefined;
  const isNewer = submittedTask !== undefined && submittedTask.at > (here ? timeOf(here) : 0);
  if (here && !isNewer) return { here };
  const id = taskName === 'last' ? submittedTask?.task_id : taskName;
  if (id === undefined)
    throw createUsageError('task_unknown', 'No task has run here, and none was submitted from here.');
  const hubFlags =
    taskName === 'last' && flags.hub === undefined ? { ...flags, hub: submittedTask?.hub } : flags;
  const { client } = await openHub(hubFlags);
  try {
    return { onHub: await client.task(id) };
  } catch (error) {
    if (!(error instanceof HubError) || flags.hub !== undefined) throw error;
    throw createUsageError(
      'task_unknown',
      `No task ${id} has run on this machine, and its hub has none: ${error.what} \`ollama-sidecar show\` lists the tasks of this machine.`,
    );
  }
}
