/** The end of a command that has given a task to a hub: it follows it to its end, or says how it can be followed. */
import { EXIT } from './exit-codes.ts';
import { followTask } from './follow-task.ts';
import type { HubClient, TaskSummary } from '../hub-client/hub-client.ts';
import { interruptible } from './interruption.ts';
import { shellWord } from '../values/shell-word.ts';
import type { Terminal } from './terminal.ts';
import { printable } from '../values/printable.ts';

export interface Submitted {
  terminal: Terminal;
  client: HubClient;
  task: TaskSummary;
  /** Follow it; the exit code is then the task's. */
  wait?: boolean;
  /** The words after the task's name. */
  note: string;
}

/** Sets the exit code. Throws `HubError`. */
export async function afterSubmission({ terminal, client, task, wait, note }: Submitted): Promise<void> {
  const { task_id: taskId } = task;
  const shown = printable(taskId);
  if (wait) {
    await interruptible((interruption) =>
      followTask({ terminal, client, taskId, interruption, cancelOnInterrupt: false }),
    );
    return;
  }
  if (terminal.json) terminal.data(task);
  else {
    // It is submitted, whatever becomes of this question.
    const waitsFor = (await client.task(taskId).catch(() => undefined))?.waiting_for;
    terminal.line(`Submitted ${terminal.color.bold(shown)}${printable(note)}`);
    if (waitsFor) terminal.line(`  waits for ${printable(waitsFor)}`);
    terminal.line(`  follow it:  ollama-sidecar watch ${shellWord(shown)}`);
  }
  process.exitCode = EXIT.ok;
}
