/** `watch`: follows a task from its beginning to its end; the exit code is the task's. */
import { followTask } from '../follow-task.ts';
import { connectHub, type HubFlags } from '../hub-address.ts';
import { interruptible } from '../interruption.ts';
import { createTerminal } from '../terminal.ts';

export async function watchCommand(taskId: string, options: HubFlags): Promise<void> {
  const client = await connectHub(options);
  // Fails at once for a task that does not exist.
  await client.task(taskId);
  const terminal = createTerminal(options.json, 'data');
  await interruptible((interruption) =>
    followTask({ terminal, client, taskId, interruption, cancelOnInterrupt: false }),
  );
}
