/** `submit`: gives a task to a hub; with `--wait` follows it to its end. */
import { connectHub, type HubFlags } from '../hub-address.ts';
import { afterSubmission } from '../submitted.ts';
import { readSubmission, type TaskOptions } from '../task-options.ts';
import { createTerminal } from '../terminal.ts';

interface SubmitOptions extends TaskOptions, HubFlags {
  wait?: boolean;
}

export async function submitCommand(description: string | undefined, options: SubmitOptions): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const payload = await readSubmission(description, options);
  const client = await connectHub(options);
  const task = await client.submit(payload);
  await afterSubmission({ terminal, client, task, wait: options.wait, note: ` (${task.status})` });
}
