/**
 * The journal of a task that its worker may leave where it is: from then on it stands as it was, whatever the run that is
 * being cut off still does, so that the next start goes on as after a crash.
 */
import type { TaskJournal } from '../ports.ts';

export function journalUntilLeft(journal: TaskJournal, isLeft: () => boolean): TaskJournal {
  const appendSoon = journal.appendSoon?.bind(journal);
  const usedMs = journal.usedMs?.bind(journal);
  return {
    append: (entries) => {
      if (!isLeft()) journal.append(entries);
    },
    ...(appendSoon && {
      appendSoon: (entries, withinMs) => (isLeft() ? Promise.resolve() : appendSoon(entries, withinMs)),
    }),
    read: (stage) => journal.read(stage),
    ...(usedMs && { usedMs }),
  };
}
