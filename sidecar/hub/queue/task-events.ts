/** The events by which dashboards, command line and metrics follow a task's state. */
import type { TaskHead } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { endingFigure } from './figures.ts';
import { taskSummary } from './views.ts';

/** The task's whole summary and what happened. */
export function recordTaskEvent(unit: UnitOfWork, task: TaskHead, reason: string, at: number): void {
  unit.record({
    task_id: task.id,
    at,
    generation: task.generation,
    kind: 'task',
    body: JSON.stringify({ reason, ...taskSummary(task) }),
  });
  // A race counts for its members.
  const figure = endings.has(reason) && task.race_of === null ? endingFigure(task) : undefined;
  if (figure) unit.count(figure);
  if (task.worker_id !== null) unit.announce({ kind: 'worker', agentId: task.worker_id });
}

/** Each of them ends a task once. */
const endings: ReadonlySet<string> = new Set(['completed', 'dead_letter', 'cancelled']);

/** A line of the hub's own on the task's timeline. */
export function recordStatus(unit: UnitOfWork, task: TaskHead, text: string, at: number): void {
  const { id, generation } = task;
  const body = JSON.stringify({ event_type: 'status', text, timestamp: at });
  unit.record({ task_id: id, at, generation, kind: 'execution', body });
}
