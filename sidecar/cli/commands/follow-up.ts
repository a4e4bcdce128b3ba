/** `follow-up`: submits what a partial result left; repeating it gives the same task. */
import { connectHub, type HubFlags } from '../hub-address.ts';
import { afterSubmission } from '../submitted.ts';
import { createTerminal } from '../terminal.ts';

export async function followUpCommand(taskId: string, options: HubFlags & { wait?: boolean }): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const client = await connectHub(options);
  const task = await client.followUp(taskId);
  const note = `, which goes on where ${taskId} stopped`;
  await afterSubmission({ terminal, client, task, wait: options.wait, note });
}
