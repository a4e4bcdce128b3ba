/**
 * What the checks say of drafts. They run one after the other, for those of one repository may want the same port or file.
 */
import { posix } from 'node:path';
import type { VerificationReport } from '../../protocol/result.ts';
import { areSlow } from '../checking/check-tree.ts';
import { isEnough } from './choose.ts';
import { isUsable, passesAll, type Draft } from './draft.ts';
import type { DraftsOptions } from './drafts-options.ts';
import { DraftTrials } from './draft-trials.ts';
import { readDraft } from './read-draft.ts';
import type { SmallChange } from './small-changes.ts';

const NAMES_DOCUMENT = /\b(?:readme|changelog|change log|docs?|document)/iu;

export class Judging {
  readonly #options: DraftsOptions;
  readonly #trials: DraftTrials;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: DraftsOptions) {
    this.#options = options;
    this.#trials = new DraftTrials(options.run);
  }

  /** Does the work when all before it is done. After one that failed nothing is done any more. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done;
    return done;
  }

  /** The draft of an answer, or a part of it that passes more; as it is where there are no checks. */
  async ofAnswer(draft: Draft): Promise<Draft> {
    const base = await this.#options.base;
    return base ? this.#trials.try(draft, base) : draft;
  }

  /** A change of the program's own; undefined where it was tried, or does not parse. */
  ofSmallChange(change: SmallChange, base: VerificationReport): Promise<Draft | undefined> {
    return this.#trials.trySmallChange(change, base);
  }

  /** Drafts whose checks were stopped, with all the time that checks may have. */
  withMoreTime(): Promise<Draft[]> {
    return this.#trials.trySlow();
  }

  /** Whether what an answer has said so far solves the task; asked in turn, and only while `isWanted`. */
  async solvesSoFar(number: number, answer: string, isWanted: () => boolean): Promise<boolean> {
    const base = await this.#options.base;
    if (!base || passesAll(base) || areSlow(base)) return false;
    return this.inTurn(async () => {
      if (!isWanted()) return false;
      const message = { role: 'assistant', content: answer };
      const draft = await readDraft(this.#options, number, { message, doneReason: 'stop' });
      if (!isUsable(draft) || draft.leftOut !== undefined || !this.#isAllSaid(draft)) return false;
      return isEnough([await this.#trials.trySoFar(draft, base)], base);
    });
  }

  /** Where the task names several files, or a text for people, an answer that has not come to them has more to say. */
  #isAllSaid({ files }: Draft): boolean {
    const { run, shown, mayChange } = this.#options;
    const { description } = run.task;
    if (NAMES_DOCUMENT.test(description)) return false;
    const named = shown.filter((path) => mayChange(path) && description.includes(posix.parse(path).name));
    const changed = new Set(files.map(({ path }) => path));
    return named.length < 2 || named.every((path) => changed.has(path));
  }
}
