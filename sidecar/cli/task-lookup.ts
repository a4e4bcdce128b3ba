/** Finds the task of `show` and `apply`: on this machine, else on the hub. */
import type { Config } from '../base/config/schema.ts';
import type { TaskDetail } from '../hub/client/hub-client.ts';
import { HubError } from '../hub/client/hub-error.ts';
import { usageError } from './exit-codes.ts';
import { openHub, type HubFlags } from './hub-address.ts';
import { lastTask } from './last-task.ts';
import { pastTask, timeOf, type PastTask } from './past-tasks.ts';

export type LocatedTask = { here: PastTask } | { onHub: TaskDetail };

/** Finds a task by id or `last` (the newest here), with `--hub` only there. Throws `CommandError` or `HubError`. */
export async function lookUpTask(
  config: Pick<Config, 'worker'>,
  named: string,
  flags: HubFlags,
): Promise<LocatedTask> {
  const submitted = named === 'last' ? await lastTask() : undefined;
  const here = flags.hub === undefined ? await pastTask(config, named) : undefined;
  const isNewer = submitted !== undefined && submitted.at > (here ? timeOf(here) : 0);
  if (here && !isNewer) return { here };
  const id = named === 'last' ? submitted?.task_id : named;
  if (id === undefined)
    throw usageError('task_unknown', 'No task has run here, and none was submitted from here.');
  const known = named === 'last' && flags.hub === undefined ? { ...flags, hub: submitted?.hub } : flags;
  const { client } = await openHub(known);
  try {
    return { onHub: await client.task(id) };
  } catch (error) {
    if (!(error instanceof HubError) || flags.hub !== undefined) throw error;
    throw usageError(
      'task_unknown',
      `No task ${id} has run on this machine, and its hub has none: ${error.what} \`ollama-sidecar show\` lists the tasks of this machine.`,
    );
  }
}
