/** A task's journal as others see it: with more in its entries, or with other names for its stages. */
import type { JournalEntry, TaskJournal } from '../ports.ts';
import { STEERING_STAGE } from './steering.ts';
import type { TaskRun } from './task-run.ts';

/** Entries say how much of its time the task had used: time counts over a crash up to the last thing that was said or done. */
export const timedJournal = (journal: TaskJournal, control: { readonly usedMs: number }): TaskJournal =>
  derived(
    journal,
    (entry) => ({ ...entry, usedMs: Math.round(control.usedMs) }),
    (stage) => journal.read(stage),
  );

/**
 * The journal of a part of a task that goes through the same stages as one before it: `part` stands before their names, so
 * that it is resumed by what it did itself. What people said belongs to the task, not to a part.
 */
export function partJournal(journal: TaskJournal, part: string): TaskJournal {
  const nameOf = (stage: string): string => (stage === STEERING_STAGE ? stage : `${part}/${stage}`);
  return derived(
    journal,
    (entry) => ({ ...entry, stage: nameOf(entry.stage) }),
    (stage) => journal.read(nameOf(stage)).map((entry) => ({ ...entry, stage })),
  );
}

/** Whether an earlier life worked in a folder that is no worktree: nothing shows what it changed. */
export const hasWorkedInFolder = ({ workspace, journal }: Pick<TaskRun, 'workspace' | 'journal'>): boolean =>
  workspace.branch === undefined && hasWorked(journal);

/** Whether an earlier life of the task has done anything besides looking. */
export const hasWorked = (journal: TaskJournal | undefined): boolean =>
  ['attempts', 'drafts', 'run', 'task'].some((stage) => (journal?.read(stage).length ?? 0) > 0);

function derived(
  journal: TaskJournal,
  written: (entry: JournalEntry) => JournalEntry,
  read: TaskJournal['read'],
): TaskJournal {
  const appendSoon = journal.appendSoon?.bind(journal);
  return {
    append: (entries) => journal.append(entries.map(written)),
    appendSoon: appendSoon && ((entries, withinMs) => appendSoon(entries.map(written), withinMs)),
    read,
  };
}
