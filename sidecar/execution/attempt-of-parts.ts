/** What attempts of an agent have in common: they show the parts that they were built from, and close them. */
import type { TaskJournal } from '../ports.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptParts } from './attempt-parts.ts';
import type { Ending } from './ending.ts';

export abstract class AttemptOfParts implements Attempt {
  readonly model: string;
  readonly journal: TaskJournal | undefined;
  protected readonly parts: AttemptParts;

  constructor(parts: AttemptParts, model: string, journal: TaskJournal | undefined) {
    this.parts = parts;
    this.model = model;
    this.journal = journal;
  }

  get workspace() {
    return this.parts.workspace;
  }
  get env() {
    return this.parts.env;
  }
  get clock() {
    return this.parts.settings.clock;
  }
  get control() {
    return this.parts.control;
  }
  get limits() {
    return this.parts.limits;
  }
  get totals() {
    return this.parts.totals;
  }

  abstract run(): Promise<Ending>;

  close(): Promise<void> {
    return this.parts.close();
  }
}
