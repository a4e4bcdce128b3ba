/** `tasks`: a hub's tasks, newest first. */
import type { TaskSummary } from '../../hub-client/hub-client.ts';
import { openHub, type HubFlags } from '../hub-address.ts';
import { paintStatus } from '../paint-status.ts';
import { duration } from '../terminal.ts';
import { printable, printableLine } from '../../values/printable.ts';

interface TasksOptions extends HubFlags {
  status?: string;
  limit: number;
}

export async function tasksCommand({ status, limit, ...flags }: TasksOptions): Promise<void> {
  const { terminal, client } = await openHub(flags);
  const tasks = await client.tasks({ limit: String(limit), ...(status && { status }) });
  const hasPriorities = tasks.some(({ priority }) => priority);
  const hasReasons = tasks.some((task) => reasonOf(task) !== '');
  terminal.list(tasks, {
    none: 'No tasks. Submit one:  ollama-sidecar submit "…" --repo DIR',
    titles: [
      'TASK',
      'STATUS',
      ...(hasPriorities ? ['PRIORITY'] : []),
      'WORKER',
      'BY',
      'TOOK',
      'WHAT',
      ...(hasReasons ? ['WHY IT WAITS'] : []),
    ],
    row: (task) => [
      printable(task.task_id),
      paintStatus(
        terminal.color,
        task.on_hold && !task.asks ? 'on hold' : task.not_done ? 'not done' : task.status,
      ),
      ...(hasPriorities ? [task.priority ? String(task.priority) : ''] : []),
      printableLine(task.worker_id ?? '–', 20),
      printableLine(task.submitted_by ?? '–', 20),
      task.worked_ms ? duration(task.worked_ms) : '–',
      printableLine(task.title, Math.max(20, Math.floor((terminal.width - 70) / (hasReasons ? 2 : 1)))),
      ...(hasReasons ? [printableLine(reasonOf(task), Math.max(40, terminal.width - 90))] : []),
    ],
  });
}

/** Why a task does not continue: its question, its hold, or what it waits for; empty if it does. */
const reasonOf = ({ asks, on_hold: hold, waiting_for: waitsFor }: TaskSummary): string =>
  asks?.summary ?? hold?.reason ?? waitsFor ?? '';
