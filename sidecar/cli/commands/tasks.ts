/** `tasks`: a hub's tasks, newest first. */
import { connectHub, type HubFlags } from '../hub-address.ts';
import type { TaskSummary } from '../../hub-client/hub-client.ts';
import { paintStatus } from '../paint-status.ts';
import { createTerminal, duration, type Terminal } from '../terminal.ts';
import { printable, printableLine } from '../../values/printable.ts';

interface TasksOptions extends HubFlags {
  status?: string;
  limit: number;
}

export async function tasksCommand(options: TasksOptions): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const client = await connectHub(options);
  const tasks = await client.tasks({
    limit: String(options.limit),
    ...(options.status ? { status: options.status } : {}),
  });
  if (terminal.json) terminal.data(tasks);
  else if (tasks.length === 0) terminal.line('No tasks. Submit one:  ollama-sidecar submit "…" --repo DIR');
  else showTasks(terminal, tasks);
}

function showTasks({ color, table, width }: Terminal, tasks: readonly TaskSummary[]): void {
  const hasPriorities = tasks.some(({ priority }) => priority);
  const rows = tasks.map((task) => [
    printable(task.task_id),
    paintStatus(color, task.on_hold ? 'on hold' : task.not_done ? 'not done' : task.status),
    ...(hasPriorities ? [task.priority ? String(task.priority) : ''] : []),
    printableLine(task.worker_id ?? '–', 20),
    printableLine(task.submitted_by ?? '–', 20),
    task.worked_ms ? duration(task.worked_ms) : '–',
    printableLine(task.title, Math.max(20, width - 70)),
  ]);
  table(rows, ['TASK', 'STATUS', ...(hasPriorities ? ['PRIORITY'] : []), 'WORKER', 'BY', 'TOOK', 'WHAT']);
}
