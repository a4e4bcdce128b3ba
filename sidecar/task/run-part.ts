/** The run of a task as a part of it has it that goes through the same stages as one before it. */
import { partJournal } from './derived-journal.ts';
import type { TaskRun } from './task-run.ts';

/** `name` keeps its stages in the journal and its rows on the timeline apart from those of other parts. */
export const runPart = (run: TaskRun, name: string): TaskRun => ({
  ...run,
  journal: run.journal && partJournal(run.journal, name),
  emit: (event) =>
    run.emit(event.call_id === undefined ? event : { ...event, call_id: `${name}/${event.call_id}` }),
});
