/** The choice among drafts as the journal keeps it, files and all: a task that is resumed writes the same ones. */
import type { ChangedFile } from '../applying/index.ts';
import type { TaskJournal } from '../ports.ts';
import { keepIn, keptIn } from '../task/journal.ts';
import type { Used } from '../task/run-totals.ts';

/**
 * `solved`: all checks pass that failed before. `voted`: the checks could not choose, most drafts make this change.
 * `start`: it passes more than the base. `none`: the tree is as it was.
 */
export interface Choice {
  kind: 'solved' | 'voted' | 'start' | 'none';
  files: ChangedFile[];
  /** For people: the cause that the answer names, and why this draft was taken. */
  output: string;
}

const STAGE = 'drafts-choice';

/** A choice, and what the task had used when it was made. */
interface KeptChoice {
  choice: Choice;
  used: Used;
}

export const keptChoice = (journal: TaskJournal | undefined): KeptChoice | undefined =>
  keptIn(journal, STAGE) as KeptChoice | undefined;

/** On disk when it returns. Throws `StorageError`. */
export const keepChoice = (journal: TaskJournal | undefined, kept: KeptChoice): void =>
  keepIn(journal, STAGE, kept);

/** Whether the choice is in the task's tree: what later stages changed there must not be written over. */
export const isChoiceWritten = (journal: TaskJournal | undefined): boolean =>
  (journal?.read(STAGE).length ?? 0) > 1;

/** On disk when it returns. Throws `StorageError`. */
export const keepChoiceWritten = (journal: TaskJournal | undefined): void =>
  keepIn(journal, STAGE, 'written', 1);
