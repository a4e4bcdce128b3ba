/** `cancel`: ends a task, waiting or running. */
import { connectHub, type HubFlags } from '../hub-address.ts';
import { createTerminal } from '../terminal.ts';
import { printable } from '../../values/printable.ts';

export async function cancelCommand(taskId: string, options: HubFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const client = await connectHub(options);
  const task = await client.cancel(taskId);
  if (terminal.json) terminal.data(task);
  else terminal.line(`Task ${printable(task.task_id)} is ${printable(task.status)}`);
}
