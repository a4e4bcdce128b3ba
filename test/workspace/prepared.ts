/** Workspaces that a test begins with; one that cannot be prepared fails it. */
import { prepareWorkspace, type PrepareOptions } from '../../sidecar/workspace/prepare-workspace.ts';
import type { PreparedWorkspace } from '../../sidecar/workspace/task-workspace.ts';
import { unwrapOutcome } from '../../sidecar/base/values/outcome.ts';
import { places } from './repositories.ts';

/** A task's workspace, in folders of its own unless others are given. */
export async function prepared(
  task: PrepareOptions['task'],
  more: Partial<PrepareOptions> = {},
): Promise<PreparedWorkspace> {
  const outcome = await prepareWorkspace({ ...places(), ...more, task });
  if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  return outcome.value;
}

/** The id of the files as they are. */
export const treeIdOf = async (workspace: Pick<PreparedWorkspace, 'storePresentTree'>): Promise<string> =>
  unwrapOutcome(await workspace.storePresentTree());
