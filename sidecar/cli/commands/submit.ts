/** `submit`: gives a task to a hub; with `--wait` follows it to its end. */
import { EXIT } from '../exit-codes.ts';
import { followTask } from '../follow-task.ts';
import { connectHub, type HubFlags } from '../hub-address.ts';
import { interruptible } from '../interruption.ts';
import { readSubmission, type TaskOptions } from '../task-options.ts';
import { createTerminal } from '../terminal.ts';

export interface SubmitOptions extends TaskOptions, HubFlags {
  wait?: boolean;
}

export async function submitCommand(description: string | undefined, options: SubmitOptions): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const payload = await readSubmission(description, options);
  const client = await connectHub(options);
  const task = await client.submit(payload);
  if (options.wait) {
    process.exitCode = await interruptible((interruption) =>
      followTask({ terminal, client, taskId: task.task_id, interruption, cancelOnInterrupt: false }),
    );
    return;
  }
  if (terminal.json) terminal.data(task);
  else {
    terminal.line(`Submitted ${terminal.color.bold(task.task_id)} (${task.status})`);
    terminal.line(`  follow it:  ollama-sidecar watch ${task.task_id}`);
  }
  process.exitCode = EXIT.ok;
}
