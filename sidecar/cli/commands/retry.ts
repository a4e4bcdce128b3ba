/** `retry`: puts a task that failed or was cancelled back into the queue. */
import { connectHub, type HubFlags } from '../hub-address.ts';
import { afterSubmission } from '../submitted.ts';
import { createTerminal } from '../terminal.ts';

export async function retryCommand(taskId: string, options: HubFlags & { wait?: boolean }): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const client = await connectHub(options);
  const task = await client.retry(taskId);
  await afterSubmission({ terminal, client, task, wait: options.wait, note: ` again (${task.status})` });
}
