/**
 * Drafts in trees of their own, and what the checks say of them there. The same change is checked once. An answer is tried as
 * it was given; where it fails, its other readings are tried, and then parts of it, which cost a check and no answer: the
 * mistake is often found, and something beside it spoiled. What passes is left as it is.
 */
import { createHash } from 'node:crypto';
import { newProblems } from '../../definitions/index.ts';
import { progressOf } from '../../protocol/progress-of.ts';
import type { VerificationReport } from '../../protocol/result.ts';
import type { ChangedFile } from '../../applying/index.ts';
import { sameChangeKey } from '../changes/same-change.ts';
import { areSlow, checkTree, trialTimeMs } from '../checking/check-tree.ts';
import type { TaskRun } from '../task/task-run.ts';
import { passesAll, type Draft } from './draft.ts';
import { inFork, writeFiles } from './draft-tree.ts';
import { partsOf } from './parts.ts';
import type { SmallChange } from './small-changes.ts';

/** So many drafts whose checks were stopped get all the time that checks may have, after all others. */
const MAX_SLOW = 2;
/** All that is tried without an answer of its own may take so long. */
const MAX_MORE_MS = 60_000;
const MAX_MORE = 120;
/** The same for one draft where the checks are slow: the model waits for them. */
const MAX_MORE_WHERE_SLOW = 2;
/** What is tried without an answer and makes the checks run for ever is soon given up: an answer has longer. */
const MIN_MORE_CHECK_MS = 3_000;

export class DraftTrials {
  readonly #run: TaskRun;
  readonly #stage: string;
  /** The draft that made a change first, by the change. */
  readonly #tried = new Map<string, { number: number; report: VerificationReport | undefined }>();
  /** Drafts whose checks were stopped early. */
  readonly #slow: Draft[] = [];
  /** Tried without an answer. */
  #more = 0;
  #moreMs = 0;
  /** Whether the task goes on. */
  readonly #isWanted = (): boolean => this.#run.control.stopReason === undefined;

  /** `stage` begins the names of its checks in the journal. */
  constructor(run: TaskRun, stage = 'draft-check') {
    this.#run = run;
    this.#stage = stage;
  }

  /** The draft with its report, or with why there is none; one that fails may come back as a part of itself. Rejects only for a failing disk. */
  async try(draft: Draft, base: VerificationReport): Promise<Draft> {
    if (draft.otherwise?.comesFirst) {
      const limits = { base, isInTime: this.#isWanted };
      const other = passesAll(base)
        ? await this.#asAsked(draft, draft.otherwise, base)
        : await this.#otherwise(draft, limits);
      if (passesAll(other.report)) return other;
    }
    const tried = draft.rejected === undefined ? await this.#tryWhole(draft, base) : draft;
    // Checks that pass without a change cannot tell a good reading from a bad one.
    const isFinal =
      tried.sameAs !== undefined || isStopped(tried) || passesAll(tried.report) || passesAll(base);
    if (isFinal || (tried.rejected !== undefined && !tried.otherwise)) return tried;
    const startedMs = this.#run.clock.monotonicMs();
    const most = Math.min(MAX_MORE, this.#more + (areSlow(base) ? MAX_MORE_WHERE_SLOW : MAX_MORE));
    const isInTime = (): boolean =>
      this.#isWanted() &&
      this.#more < most &&
      this.#moreMs + this.#run.clock.monotonicMs() - startedMs < MAX_MORE_MS;
    const limits = { base, isInTime };
    const readings = tried.readings ?? [];
    const steps = [
      (best: Draft) => this.#best(best, readings, { ...limits, altered: 'merged' }),
      (best: Draft) => this.#otherwise(best, limits),
      (best: Draft) =>
        this.#best(best, [tried.files, ...readings].flatMap(partsOf), { ...limits, altered: 'part' }),
    ];
    let best = tried;
    for (const step of steps) best = passesAll(best.report) ? best : await step(best);
    this.#moreMs += this.#run.clock.monotonicMs() - startedMs;
    return best;
  }

  /** What an answer has said so far. Where that turns out to be all of it, it is not checked again. */
  trySoFar(draft: Draft, base: VerificationReport): Promise<Draft> {
    return this.#tryWhole(draft, base, `${this.#stage}-${keyOf(draft)}`);
  }

  /** A small change; undefined where it was tried or does not parse. */
  async trySmallChange({ at, file }: SmallChange, base: VerificationReport): Promise<Draft | undefined> {
    const draft: Draft = { number: 0, at, files: [file], reason: '', answer: '', altered: 'small' };
    if (this.#tried.has(sameChangeKey(draft.files)) || !(await parses(draft.files))) return undefined;
    return this.#checkMore(draft, base);
  }

  /** What the program does as the task says it, where checks that passed before say no more than that nothing breaks. */
  async #asAsked(
    draft: Draft,
    { as: altered, changes }: NonNullable<Draft['otherwise']>,
    base: VerificationReport,
  ): Promise<Draft> {
    const { rejected: _rejected, ...rest } = withoutAnswer(draft);
    for (const files of changes) {
      if (!this.#isWanted()) break;
      if (!(await parses(files))) continue;
      const tried = await this.#checkMore({ ...rest, files, altered }, base);
      if (passesAll(tried.report)) return tried;
    }
    return draft;
  }

  async #otherwise(draft: Draft, limits: Limits): Promise<Draft> {
    if (!draft.otherwise) return draft;
    const { as: altered, changes } = draft.otherwise;
    const start = altered === 'renamed' ? withoutAnswer(draft) : draft;
    const best = await this.#best(start, changes, { ...limits, altered });
    return best === start ? draft : best;
  }

  async #tryWhole(
    draft: Draft,
    base: VerificationReport,
    stage = `${this.#stage}-${draft.number}`,
  ): Promise<Draft> {
    const earlier = this.#tried.get(sameChangeKey(draft.files));
    if (earlier?.report) {
      const { number, report } = earlier;
      return { ...draft, report, ...(number !== draft.number && { sameAs: number }) };
    }
    const tried = await this.#check(draft, stage, trialTimeMs(base));
    if (isStopped(tried)) this.#slow.push(tried);
    return tried;
  }

  /** The drafts whose checks were stopped, with all the time that checks may have. */
  async trySlow(): Promise<Draft[]> {
    const tried: Draft[] = [];
    for (const draft of this.#slow.slice(0, MAX_SLOW)) {
      if (!this.#isWanted()) break;
      const slow = await this.#check(draft, `${this.#stage}-${draft.number}-slow`);
      tried.push(slow);
      if (passesAll(slow.report)) break;
    }
    return tried;
  }

  /**
   * The draft, or the first of other changes that passes all checks, or else the one that passes most: of two readings of an
   * answer that pass alike, the one that keeps more of the files.
   */
  async #best(
    draft: Draft,
    changes: readonly (readonly ChangedFile[])[],
    { base, isInTime, altered }: Limits & Required<Pick<Draft, 'altered'>>,
  ): Promise<Draft> {
    let best = draft;
    const { rejected: _rejected, ...rest } = draft;
    for (const files of changes) {
      if (!isInTime()) break;
      const other: Draft = { ...rest, files, altered };
      if (this.#tried.has(sameChangeKey(other.files)) || !(await parses(files))) continue;
      this.#more += 1;
      const tried = await this.#checkMore(other, base);
      const progress = progressOf(tried.report);
      const isTie = altered === 'merged' && progress === progressOf(best.report);
      const isBetter = progress > progressOf(best.report) || (isTie && sizeOf(files) > sizeOf(best.files));
      if (isBetter && progress > progressOf(base)) best = tried;
      if (passesAll(tried.report)) break;
    }
    return best;
  }

  /** A change that has no answer of its own; its checks are known in the journal by what it changes. */
  #checkMore(draft: Draft, base: VerificationReport): Promise<Draft> {
    return this.#check(draft, `${this.#stage}-${keyOf(draft)}`, trialTimeMs(base, MIN_MORE_CHECK_MS));
  }

  /** `atMostMs`: less than the task's own limit. */
  async #check(draft: Draft, stage: string, atMostMs = Infinity): Promise<Draft> {
    const checked = await inFork(this.#run, async (fork, copy) => {
      const written = await writeFiles(fork, draft.files);
      if (!written.ok) return written.failure.message;
      const committed = await copy.commit();
      if (!committed.ok) return committed.failure.message;
      return checkTree(fork, stage, { atMostMs });
    });
    if (!checked.ok) return { ...draft, rejected: checked.failure.message };
    if (typeof checked.value === 'string') return { ...draft, rejected: checked.value };
    this.#tried.set(sameChangeKey(draft.files), { number: draft.number, report: checked.value });
    return { ...draft, ...(checked.value && { report: checked.value }) };
  }
}

/** For a change that is not the answer's. */
function withoutAnswer({ leftOut: _leftOut, ...draft }: Draft): Draft {
  return { ...draft, reason: 'The name was replaced in every file, as the task says it.' };
}

const isStopped = ({ report }: Draft): boolean => report?.status === 'timeout';

/** Characters that the changed files have more than before. */
const sizeOf = (files: readonly ChangedFile[]): number =>
  files.reduce((sum, { before = '', after = '' }) => sum + after.length - before.length, 0);

/** By the change: in another life drafts may be tried in another order. */
const keyOf = (draft: Draft): string =>
  createHash('sha256').update(sameChangeKey(draft.files)).digest('hex').slice(0, 16);

interface Limits {
  base: VerificationReport;
  /** Whether something may still be tried without an answer. */
  isInTime: () => boolean;
}

async function parses(files: readonly ChangedFile[]): Promise<boolean> {
  for (const { path, before = '', after } of files) {
    if (after !== undefined && (await newProblems(path, before, after)).length > 0) return false;
  }
  return true;
}
