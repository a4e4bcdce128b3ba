/** What the hub says about tasks: given out, acknowledged, gone on with, taken away. */
import type { HubFrame } from '../protocol/hub-frames.ts';
import type { Link } from './hub-link.ts';

type Frame<T extends HubFrame['type']> = Extract<HubFrame, { type: T }>;

export function assigned(link: Link, { type: _type, ...task }: Frame<'task_assign'>): void {
  const { task_id: taskId, generation } = task;
  const known = link.tasks.get(taskId);
  if (known && known.generation > generation) {
    link.log?.debug(
      { task_id: taskId, generation, newer: known.generation },
      'An assignment that was replaced since',
    );
    return;
  }
  const answered = link.outgoing.delivery.answerAgain(taskId, generation);
  const held = link.tasks.assigned(task, link.connection);
  if (answered) {
    link.log?.info(
      { task_id: taskId, generation },
      'A finished task was given out again: its result is sent',
    );
    held.taken = true;
    link.outgoing.accept(held);
    link.outgoing.pump();
    return;
  }
  if (link.recoveries.has(taskId)) link.recoveries.assigned(taskId, generation);
  else link.call(() => link.handlers.onAssign?.(task));
}

export function acknowledged(link: Link, { task_id: taskId, status }: Frame<'task_ack'>): void {
  if (status === 'accepted') {
    const accepted = link.tasks.get(taskId)?.accepted;
    if (accepted) accepted.acknowledged = true;
    link.outgoing.pump();
    return;
  }
  link.outgoing.delivery.acknowledged(taskId, status ?? 'acknowledged');
  link.outgoing.pump();
}

export function continued(link: Link, { task_id: taskId, generation }: Frame<'task_continue'>): void {
  if (!link.recoveries.has(taskId)) return;
  link.tasks.confirmed(taskId, generation ?? 0);
  // The public hub says so of tasks that anybody has; the embedded one only of this worker's.
  link.recoveries.continued(taskId, generation, link.features !== undefined);
}

export function reassigned(link: Link, taskId: string): void {
  if (link.recoveries.has(taskId)) {
    link.recoveries.reassigned(taskId);
    return;
  }
  link.release(taskId);
  link.call(() => link.handlers.onReassign?.(taskId));
}

export function reportAnswered(link: Link, frame: Frame<'state_report_ack'>): void {
  const task = link.tasks.get(frame.task_id);
  if (!task) return;
  // The public hub does not say which generation it means: answers come in the order of the reports.
  const oldest = task.reported.shift();
  const generation = frame.generation ?? oldest ?? task.generation;
  if (generation !== task.generation) {
    link.log?.debug(
      { task_id: task.taskId, generation },
      'An answer about an assignment that was replaced since',
    );
    return;
  }
  if (frame.action === 'abort') {
    link.abort(task.taskId, generation);
    return;
  }
  link.outgoing.accept(task);
}
