/** Records task events, by which dashboards, the command line and metrics follow a task's state. */
import type { TaskHead } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { endingFigureOf } from './figures.ts';
import { taskSummaryOf } from './views.ts';

/**
 * Records a task event with the task's summary. If the task has ended, also counts the ending and reports it to the
 * webhooks.
 */
export function recordTaskEvent(unit: UnitOfWork, task: TaskHead, reason: string, at: number): void {
  const summary = taskSummaryOf(task);
  unit.record({
    task_id: task.id,
    at,
    generation: task.generation,
    kind: 'task',
    body: JSON.stringify({ reason, ...summary }),
  });
  const figure = endReasons.has(reason) ? endingFigureOf(task) : undefined;
  if (figure) {
    unit.count(figure);
    const timestamp = new Date(at).toISOString();
    unit.report({
      taskId: task.id,
      at,
      body: JSON.stringify({ type: 'task.ended', timestamp, data: summary }),
    });
  }
  if (task.worker_id !== null) unit.announce({ kind: 'worker', agentId: task.worker_id });
}

/** Reasons that end a task; each occurs once per task. */
const endReasons: ReadonlySet<string> = new Set(['completed', 'dead_letter', 'cancelled']);
