/**
 * The checks' verdict on drafts, in the tree of the checks. The same change is checked once. An answer is tried as it was
 * given; where it fails, its other readings are tried, and then parts of it, which cost a check and no answer: the mistake
 * is often found, and something beside it spoiled. What passes is left as it is.
 */
import type { ChangedFile } from '../applying/index.ts';
import { newProblems } from '../definitions/index.ts';
import { progressOf } from '../protocol/progress-of.ts';
import type { VerificationReport } from '../protocol/result.ts';
import { sameChangeKey } from '../task/changes.ts';
import { areSlow, runTaskChecks, trialTimeMs } from '../task/checking/run-task-checks.ts';
import type { TaskRun } from '../task/task-run.ts';
import { passesAll, type Draft } from './draft.ts';
import { partsOf } from './parts.ts';

/** All that is tried without an answer of its own may take so long. */
const MAX_MORE_MS = 60_000;
const MAX_MORE = 120;
/** The same for one draft where the checks are slow: the model waits for them. */
const MAX_MORE_WHERE_SLOW = 2;
/** Other readings and parts that make the checks run for ever are soon given up: an answer has longer. */
const MIN_MORE_CHECK_MS = 3_000;

export class Judge {
  readonly #run: TaskRun;
  /** The draft that made a change first, by the change. */
  readonly #tried = new Map<string, { number: number; report: VerificationReport | undefined }>();
  /** Tried without an answer. */
  #more = 0;
  #moreMs = 0;

  constructor(run: TaskRun) {
    this.#run = run;
  }

  /** The draft with its report, or with why there is none; one that fails may come back as a part of itself. Rejects only for a failing disk. */
  async try(draft: Draft, base: VerificationReport): Promise<Draft> {
    const tried = draft.rejected === undefined ? await this.#tryWhole(draft, base) : draft;
    // Checks that pass without a change cannot separate a good reading from a bad one.
    const readings = tried.readings ?? [];
    const isFinal =
      (tried.rejected !== undefined && readings.length === 0) ||
      tried.sameAs !== undefined ||
      tried.report?.status === 'timeout' ||
      passesAll(tried.report) ||
      passesAll(base);
    if (isFinal) return tried;
    const startedMs = this.#run.clock.monotonicMs();
    const most = Math.min(MAX_MORE, this.#more + (areSlow(base) ? MAX_MORE_WHERE_SLOW : MAX_MORE));
    const isInTime = (): boolean =>
      this.#run.control.stopReason === undefined &&
      this.#more < most &&
      this.#moreMs + this.#run.clock.monotonicMs() - startedMs < MAX_MORE_MS;
    let best = await this.#best(tried, readings, { base, isInTime, altered: 'merged' });
    if (!passesAll(best.report)) {
      const whole = tried.rejected === undefined ? [tried.files] : [];
      const parts = [...whole, ...readings].flatMap(partsOf);
      best = await this.#best(best, parts, { base, isInTime, altered: 'part' });
    }
    this.#moreMs += this.#run.clock.monotonicMs() - startedMs;
    return best;
  }

  async #tryWhole(draft: Draft, base: VerificationReport): Promise<Draft> {
    const earlier = this.#tried.get(sameChangeKey(draft.files));
    if (!earlier?.report) return this.#check(draft, trialTimeMs(base));
    const { number, report } = earlier;
    return { ...draft, report, ...(number !== draft.number && { sameAs: number }) };
  }

  /**
   * The draft, or the first of other changes that passes all checks, or else the one that passes most: of two readings of an
   * answer that pass alike, the one that keeps more of the files.
   */
  async #best(
    draft: Draft,
    changes: readonly (readonly ChangedFile[])[],
    { base, isInTime, altered }: Limits,
  ): Promise<Draft> {
    let best = draft;
    const { rejected: _rejected, ...rest } = draft;
    for (const files of changes) {
      if (!isInTime()) break;
      const key = sameChangeKey(files);
      if (this.#tried.has(key) || !(await parses(files))) continue;
      this.#more += 1;
      const tried = await this.#check({ ...rest, files, altered }, trialTimeMs(base, MIN_MORE_CHECK_MS));
      const progress = progressOf(tried.report);
      const isTie = altered === 'merged' && progress === progressOf(best.report);
      const isBetter = progress > progressOf(best.report) || (isTie && sizeOf(files) > sizeOf(best.files));
      if (isBetter && progress > progressOf(base)) best = tried;
      if (passesAll(tried.report)) break;
    }
    return best;
  }

  async #check(draft: Draft, atMostMs: number): Promise<Draft> {
    let rejected: string | undefined;
    const report = await runTaskChecks(this.#run, {
      state: 'present',
      change: draft.files,
      atMostMs,
      onFailure: (reason) => (rejected = reason),
    });
    if (rejected !== undefined) return { ...draft, rejected };
    this.#tried.set(sameChangeKey(draft.files), { number: draft.number, report });
    return { ...draft, ...(report && { report }) };
  }
}

interface Limits {
  base: VerificationReport;
  /** Whether something may still be tried without an answer. */
  isInTime: () => boolean;
  altered: NonNullable<Draft['altered']>;
}

/** Characters that the changed files have more than before. */
const sizeOf = (files: readonly ChangedFile[]): number =>
  files.reduce((sum, { before = '', after = '' }) => sum + after.length - before.length, 0);

async function parses(files: readonly ChangedFile[]): Promise<boolean> {
  for (const { path, before = '', after } of files) {
    if (after !== undefined && (await newProblems(path, before, after)).length > 0) return false;
  }
  return true;
}
