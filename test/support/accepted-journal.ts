import type { JournalStore } from '../../sidecar/solving/task/journal.ts';
import { taskSchema } from '../../sidecar/base/protocol/task.ts';
import type { StateDatabase } from '../../sidecar/base/storage/state-database.ts';
import { createTaskJournal } from '../../sidecar/base/storage/task-journal.ts';
import { createTaskRecords } from '../../sidecar/base/storage/task-records.ts';

/** The journal of a task, which is accepted first where it is not there. */
export function acceptedJournal(db: StateDatabase, taskId: string): JournalStore {
  createTaskRecords(db).accept(taskSchema.parse({ task_id: taskId, generation: 1 }));
  return createTaskJournal(db, taskId);
}
