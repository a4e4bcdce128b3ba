/** `steer`: says something to a task that has not ended. */
import { connectHub, type HubFlags } from '../hub-address.ts';
import { createTerminal } from '../terminal.ts';
import { printable } from '../../values/printable.ts';

export async function steerCommand(taskId: string, text: string, options: HubFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const client = await connectHub(options);
  const stored = await client.steer(taskId, text);
  if (terminal.json) terminal.data(stored);
  else terminal.line(`The model of task ${printable(taskId)} gets this text before its next answer`);
}
