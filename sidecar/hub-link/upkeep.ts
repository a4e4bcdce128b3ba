/** What the link says by itself: once a connection is there, and as time passes without an answer. */
import type { AssignedTask } from './assigned-tasks.ts';
import type { Link } from './hub-link.ts';

/** A new connection: the hub hears which tasks this worker has, and what it has not answered yet. */
export function tellWhatIsHeld(link: Link): void {
  const { tasks, outgoing, recoveries } = link;
  for (const task of tasks.all()) {
    if (task.taken && !outgoing.delivery.has(task.taskId)) reportState(link, task);
  }
  recoveries.askAgain();
  askRecoveries(link);
  askQuestions(link);
}

/** What a person was asked is asked again; a hub that cannot ask one ends it. */
export function askQuestions({ questions, features, outgoing }: Link): void {
  if (!features?.approval) questions.end('unsupported');
  for (const request of questions.all()) outgoing.queue({ type: 'approval_request', ...request }, 'control');
}

/** Once a second: what was not answered is said again, and tasks that were silent show a sign of life. */
export function keepUp(link: Link): void {
  const { tasks, outgoing, connection, nowMs } = link;
  for (const task of tasks.toAccept(connection, nowMs)) {
    if (!outgoing.delivery.isUnderWay(task.taskId)) outgoing.accept(task);
  }
  for (const { taskId } of tasks.silent(connection, nowMs)) {
    if (!outgoing.progress.has(taskId)) {
      outgoing.queue({ type: 'task_progress', task_id: taskId }, 'control');
    }
    tasks.heardOf(taskId, nowMs);
  }
  askRecoveries(link);
  outgoing.pump();
  link.publicLine.tick();
}

/** Asks what became of tasks of an earlier life, where that is due. */
export function askRecoveries({ state, recoveries, outgoing }: Link): void {
  if (state !== 'ready') return;
  for (const { taskId } of recoveries.due()) {
    outgoing.queue({ type: 'task_recovering', task_id: taskId }, 'terminal');
  }
}

function reportState({ outgoing, nowMs }: Link, task: AssignedTask): void {
  const { taskId, generation, assignedAt } = task;
  task.reported.push(generation);
  task.reportedAtMs = nowMs;
  const when = assignedAt === undefined ? {} : { assigned_at: assignedAt };
  outgoing.queue(
    { type: 'state_report', task_id: taskId, status: 'working', generation, ...when },
    'control',
  );
}
