/**
 * After a crash: what the journal says was running is asked of the hub, and goes on or is dropped as it answers.
 * Tasks that the hub gives out again by itself come as assignments.
 */
import type { HubLink } from '../hub-link/types.ts';
import type { Logger } from '../ports.ts';
import type { TaskRecords } from '../storage/task-records.ts';
import type { Assignments } from './assignments.ts';
import type { Worker } from './worker.ts';

export interface Recovery {
  link: Pick<HubLink, 'recovering'>;
  records: TaskRecords;
  assignments: Assignments;
  /** Told when the disk failed while an answer was acted on. */
  worker: Pick<Worker, 'storageFailed'>;
  logger: Logger;
}

/** Asks for every unfinished task; answers may come long after this returns. Throws `StorageError`. */
export function recoverTasks({ link, records, assignments, worker, logger }: Recovery): void {
  for (const { task, generation } of records.unfinished()) {
    logger.info({ task_id: task.task_id, generation }, 'Found an unfinished task; asking the hub about it');
    link
      .recovering(task.task_id, generation)
      .then((answer) => {
        if (answer.action === 'continue') assignments.resume(task.task_id, answer.generation);
        // An assignment of a newer generation may have come in between: then it is not meant.
        else if (answer.action === 'reassign') assignments.drop(task.task_id, generation);
      })
      .catch((error: unknown) => worker.storageFailed(error));
  }
}
