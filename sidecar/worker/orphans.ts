/** What a killed worker left running: found by its mark, ended at the next start. */
import { createHash } from 'node:crypto';
import { killMarkedProcesses } from '../commands/marked-processes.ts';
import { removeMarkedScratch } from '../commands/scratch.ts';
import type { Logger } from '../ports.ts';
import type { Folders } from './folders.ts';

/** Marks the processes and scratch folders of a worker's tasks: one for each state folder. */
export function processMark({ stateDir }: Folders): string {
  return `${createHash('sha256').update(stateDir).digest('hex').slice(0, 12)}-`;
}

/** Ends what a killed worker of this state folder left running, and removes its commands' temporary files. */
export async function endOrphans(folders: Folders, logger: Logger): Promise<void> {
  const ended = await killMarkedProcesses(processMark(folders));
  await removeMarkedScratch(processMark(folders)).catch((error: unknown) => {
    logger.warn({ reason: String(error) }, 'Temporary files of a killed worker could not be removed');
  });
  if (ended > 0) logger.warn({ processes: ended }, 'Ended processes that a killed worker had left behind');
}
