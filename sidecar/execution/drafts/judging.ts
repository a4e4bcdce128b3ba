/**
 * What is said of drafts: by the checks, and by what speaks against one that passes them. Checks run one after the other, for
 * those of one repository may want the same port or file.
 */
import { posix } from 'node:path';
import type { VerificationReport } from '../../protocol/result.ts';
import { areSlow } from '../checking/check-tree.ts';
import { isEnough } from './choose.ts';
import { isUsable, passesAll, type Draft } from './draft.ts';
import type { DraftsOptions } from './drafts-options.ts';
import { DraftTrials } from './draft-trials.ts';
import { lostValueIn } from './lost-value.ts';
import { otherLimits } from './other-limits.ts';
import { readDraft, type ShownTexts } from './read-draft.ts';
import { failuresIn } from './shown-suspects.ts';
import type { SmallChange } from './small-changes.ts';
import { specialCaseOf } from './special-case.ts';

const NAMES_DOCUMENT = /\b(?:readme|changelog|change log|docs?|document)/iu;

export class Judging {
  readonly #options: DraftsOptions;
  readonly #trials: DraftTrials;
  /** Files that the question shows. */
  readonly #shown: () => Promise<ShownTexts>;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: DraftsOptions, shown: () => Promise<ShownTexts>) {
    this.#options = options;
    this.#shown = shown;
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
    return base ? this.#doubted(await this.#trials.try(draft, base), base) : draft;
  }

  /** A change of the program's own; undefined where it was tried, or does not parse. */
  async ofSmallChange(change: SmallChange, base: VerificationReport): Promise<Draft | undefined> {
    const draft = await this.#trials.trySmallChange(change, base);
    return draft && this.#doubted(draft, base);
  }

  /** Drafts whose checks were stopped, with all the time that checks may have. */
  async withMoreTime(): Promise<Draft[]> {
    const base = await this.#options.base;
    const tried = await this.#trials.trySlow();
    return base ? Promise.all(tried.map((draft) => this.#doubted(draft, base))) : tried;
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
      const tried = await this.#trials.trySoFar(draft, base);
      return isEnough([await this.#doubted(tried, base)], base);
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

  /** The draft, with what speaks against it; checks that passed before are passed by anything. */
  async #doubted(draft: Draft, base: VerificationReport): Promise<Draft> {
    if (!passesAll(draft.report) || passesAll(base)) return draft;
    const flaw =
      (await this.#specialCase(draft, base)) ??
      (await lostValue(draft)) ??
      (await this.#anotherLimit(draft, base));
    return { ...draft, ...(flaw && { flaw }) };
  }

  async #specialCase({ files }: Draft, base: VerificationReport): Promise<string | undefined> {
    const { tests } = await this.#shown();
    const task = this.#options.run.task.description;
    const texts = [...tests.map(({ text }) => text), failuresIn(base)];
    const value = specialCaseOf(files, { tests: texts.join('\n'), task });
    return value && `it asks for ${value}, a value of the tests`;
  }

  async #anotherLimit({ files }: Draft, base: VerificationReport): Promise<string | undefined> {
    for (const { line, file } of otherLimits(files))
      if (await this.#trials.passes([file], base))
        return `line ${line} may want the same change, and no check tells`;
    return undefined;
  }
}

async function lostValue({ files }: Draft): Promise<string | undefined> {
  const name = await lostValueIn(files);
  return name && `${name} no longer gives a value on every way through it`;
}
