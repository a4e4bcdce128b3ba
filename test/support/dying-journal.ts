/**
 * A journal in memory that dies at a chosen append, as a process would: what it holds is as JSON on a disk, and nothing
 * can be written any more after the death.
 */
import type { JournalEntry, JournalStore } from '../../sidecar/solving/task/journal.ts';
import { isLong } from './scale.ts';

/** Thrown in place of the process's end. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

export interface Death {
  /** The append at which it comes, from 1. */
  append: number;
  /** Whether that append still reached the disk. */
  written: boolean;
}

export class DyingJournal implements JournalStore {
  readonly #entries: string[];
  readonly #death: Death | undefined;
  /** What was written in each append: the kind of each entry and where it belongs. */
  readonly kinds: string[] = [];

  constructor(death?: Death, before?: DyingJournal) {
    this.#death = death;
    this.#entries = before ? [...before.#entries] : [];
  }

  get appends(): number {
    return this.kinds.length;
  }

  get entries(): JournalEntry[] {
    return this.#entries.map((text) => JSON.parse(text) as JournalEntry);
  }

  append(entries: JournalEntry[], _withinMs?: number): Promise<void> {
    this.kinds.push(entries.map(({ kind, stage }) => `${kind} ${stage.replace(/[\da-f]{64}$/, '')}`).join());
    const { append = Infinity, written = false } = this.#death ?? {};
    if (this.appends < append || (this.appends === append && written)) {
      this.#entries.push(...entries.map((entry) => JSON.stringify(entry)));
    }
    if (this.appends >= append) throw new Killed(`at append ${append}`);
    return Promise.resolve();
  }

  read(): JournalEntry[] {
    return this.entries;
  }
}

/**
 * The deaths that a life with the journal `whole` can meet from an append on: in a long run each, before and after the
 * append; in the gate one for each kind of append, by turns.
 */
export function deathsOf(whole: DyingJournal, from = 1): Death[] {
  const appends = whole.kinds.flatMap((kind, index) =>
    index + 1 >= from && (isLong || whole.kinds.indexOf(kind, from - 1) === index) ? [index + 1] : [],
  );
  if (!isLong) return appends.map((append, index) => ({ append, written: index % 2 === 1 }));
  return appends.flatMap((append) => [false, true].map((written) => ({ append, written })));
}
