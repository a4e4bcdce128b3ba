/** The run of a task as one of its attempts has it. The first is the task's own; later ones keep their stages apart. */
import { attemptJournal } from '../journal/attempt-journal.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { EndedAttempt } from './ended-attempt.ts';
import { earlierAttempts } from './tell-attempts.ts';

export function attemptRun(run: TaskRun, ended: readonly EndedAttempt[]): TaskRun {
  if (ended.length === 0) return run;
  const number = ended.length + 1;
  const name = `attempt-${number}`;
  return {
    ...run,
    journal: run.journal && attemptJournal(run.journal, name),
    // Rows of two attempts are two rows.
    emit: (event) =>
      run.emit(event.call_id === undefined ? event : { ...event, call_id: `${name}/${event.call_id}` }),
    attempt: {
      number,
      earlier: earlierAttempts(ended, run.control.heard),
      triedModels: ended.map(({ model }) => model),
    },
  };
}
