/**
 * The journal as an attempt sees it: the stages of the second attempt and later ones have names of their own, so that
 * each attempt is resumed by what it did itself. What people said belongs to the task, not to an attempt.
 */
import type { JournalEntry, TaskJournal } from '../../ports.ts';
import { STEERING_STAGE } from '../task/steering.ts';

/** `attempt` is written before each stage's name. */
export function attemptJournal(journal: TaskJournal, attempt: string): TaskJournal {
  const nameOf = (stage: string): string => (stage === STEERING_STAGE ? stage : `${attempt}/${stage}`);
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
