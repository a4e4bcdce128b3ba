/** A journal whose entries say how much of its time the task had used when they were written. */
import type { JournalEntry, TaskJournal } from '../../ports.ts';

/** Time counts over a crash as far as the journal tells: up to the last thing that was said or done. */
export function timedJournal(journal: TaskJournal, control: { readonly usedMs: number }): TaskJournal {
  const timed = (entries: JournalEntry[]) => {
    const usedMs = Math.round(control.usedMs);
    return entries.map((entry) => ({ ...entry, usedMs }));
  };
  const appendSoon = journal.appendSoon?.bind(journal);
  return {
    append: (entries) => journal.append(timed(entries)),
    ...(appendSoon && {
      appendSoon: (entries: JournalEntry[], withinMs?: number) => appendSoon(timed(entries), withinMs),
    }),
    read: (stage) => journal.read(stage),
  };
}
