/**
 * A task's journal as its stages use it: one fact kept under a name, and the journal as others see it, with more in its
 * entries or with other names for its stages.
 */
import type { JournalEntry, TaskJournal } from '../ports.ts';
import { STEERING_STAGE } from './steering.ts';
import type { TaskRun } from './task-run.ts';

type Journal = TaskJournal | undefined;

/** Whether the journal has anything of a stage. */
export const hasEntries = (journal: Journal, stage: string): boolean =>
  (journal?.read(stage).length ?? 0) > 0;

/** The fact that was kept first under `stage`. */
export const keptIn = (journal: Journal, stage: string): unknown => journal?.read(stage)[0]?.body;

/** Keeps a fact under `stage`; on disk when it returns. Throws `StorageError`. */
export const keepIn = (journal: Journal, stage: string, body: unknown, round = 0, call = 0): void =>
  journal?.append([{ kind: 'result', stage, round, call, body }]);

/**
 * Whether an earlier run of the task has done anything besides looking: an attempt has ended, or a stage that works has
 * begun. A new stage that may be the first to change something belongs into this list.
 */
export const hasWorked = (journal: Journal): boolean =>
  ['attempts', 'drafts', 'run', 'task'].some((stage) => hasEntries(journal, stage));

/** Whether an earlier run worked in a folder that is no worktree: nothing shows what it changed. */
export const hasWorkedInFolder = ({ workspace, journal }: Pick<TaskRun, 'workspace' | 'journal'>): boolean =>
  workspace.branch === undefined && hasWorked(journal);

/** Entries say how much of its time the task had used: time counts over a crash up to the last thing that was said or done. */
export const timedJournal = (journal: TaskJournal, control: { readonly usedMs: number }): TaskJournal =>
  derived(
    journal,
    (entry) => ({ ...entry, usedMs: Math.round(control.usedMs) }),
    (stage) => journal.read(stage),
  );

/**
 * The run as a part of the task has it that goes through the same stages as one before it: `name` stands before the names
 * of its stages in the journal and before its rows on the timeline, so that it is resumed by what it did itself.
 */
export const runPart = (run: TaskRun, name: string): TaskRun => ({
  ...run,
  journal: run.journal && partJournal(run.journal, name),
  emit: (event) =>
    run.emit(event.call_id === undefined ? event : { ...event, call_id: `${name}/${event.call_id}` }),
});

/** Texts of people belong to the task, not to a part. */
function partJournal(journal: TaskJournal, part: string): TaskJournal {
  const nameOf = (stage: string): string => (stage === STEERING_STAGE ? stage : `${part}/${stage}`);
  return derived(
    journal,
    (entry) => ({ ...entry, stage: nameOf(entry.stage) }),
    (stage) => journal.read(nameOf(stage)).map((entry) => ({ ...entry, stage })),
  );
}

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
