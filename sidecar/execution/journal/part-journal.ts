/**
 * The journal as a part of a task sees it that goes through the same stages as one before it: its stages have names of
 * their own, so that it is resumed by what it did itself. What people said belongs to the task, not to a part.
 */
import type { JournalEntry, TaskJournal } from '../../ports.ts';
import { STEERING_STAGE } from '../task/steering.ts';

/** `part` is written before each stage's name. */
export function partJournal(journal: TaskJournal, part: string): TaskJournal {
  const nameOf = (stage: string): string => (stage === STEERING_STAGE ? stage : `${part}/${stage}`);
  const named = (entries: JournalEntry[]): JournalEntry[] =>
    entries.map((entry) => ({ ...entry, stage: nameOf(entry.stage) }));
  const appendSoon = journal.appendSoon?.bind(journal);
  return {
    append: (entries) => journal.append(named(entries)),
    ...(appendSoon && {
      appendSoon: (entries: JournalEntry[], withinMs?: number) => appendSoon(named(entries), withinMs),
    }),
    read: (stage) => journal.read(nameOf(stage)).map((entry) => ({ ...entry, stage })),
  };
}
