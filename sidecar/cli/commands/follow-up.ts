/** `follow-up`: submits what a partial result left; asked twice it is the same task. */
import { followTask } from '../follow-task.ts';
import { connectHub, type HubFlags } from '../hub-address.ts';
import { interruptible } from '../interruption.ts';
import { createTerminal } from '../terminal.ts';

export async function followUpCommand(taskId: string, options: HubFlags & { wait?: boolean }): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const client = await connectHub(options);
  const task = await client.followUp(taskId);
  if (options.wait) {
    process.exitCode = await interruptible((interruption) =>
      followTask({ terminal, client, taskId: task.task_id, interruption, cancelOnInterrupt: false }),
    );
    return;
  }
  if (terminal.json) terminal.data(task);
  else {
    terminal.line(`Submitted ${terminal.color.bold(task.task_id)}, which goes on where ${taskId} stopped`);
    terminal.line(`  follow it:  ollama-sidecar watch ${task.task_id}`);
  }
}
