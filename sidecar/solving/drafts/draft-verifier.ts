/**
 * Verifies drafts by running the checks in the check tree, once for each change. An answer is first tried as written. If it fails, its other
 * readings are tried, which need further checks but no further answer. Files that pass remain unchanged.
 */
import type { ChangedFile } from '../../parsing/apply-edits/index.ts';
import { measureProgress } from '../result/progress-of.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';
import { computeChangeKey } from '../task/changes.ts';
import { runTaskChecks, computeTrialTimeMs } from '../task/checking/run-task-checks.ts';
import type { TaskRun } from '../task/task-run.ts';
import { passesAll, type Draft } from './draft.ts';

/** Time limit for checking all other readings of a task's answers. */
const MAX_OTHER_READINGS_MS = 60_000;
/** Minimum time limit of the checks of another reading, which may make them run forever. Checks of an answer as written have more time. */
const MIN_READING_CHECK_MS = 3_000;

export class DraftVerifier {
  readonly #run: TaskRun;
  /** The first draft of each change, by the key of the change. */
  readonly #triedDrafts = new Map<string, { number: number; report: VerificationReport | undefined }>();
  #otherReadingsMs = 0;

  constructor(run: TaskRun) {
    this.#run = run;
  }

  /**
   * Returns the draft with its report, or with the reason why it has none. A draft that fails may be returned as another reading of its
   * answer. Rejects only on a storage error.
   */
  async try(draft: Draft, base: VerificationReport): Promise<Draft> {
    const tried = draft.rejectionReason === undefined ? await this.#tryWholeDraft(draft, base) : draft;
    // If the checks pass without a change, they cannot distinguish a good reading from a bad one.
    const readings = tried.readings ?? [];
    const isFinal =
      (tried.rejectionReason !== undefined && readings.length === 0) ||
      tried.duplicateOf !== undefined ||
      tried.report?.status === 'timeout' ||
      passesAll(tried.report) ||
      passesAll(base);
    if (isFinal) return tried;
    const startedMs = this.#run.clock.monotonicMs();
    const isInTime = (): boolean =>
      this.#run.control.stopReason === undefined &&
      this.#otherReadingsMs + this.#run.clock.monotonicMs() - startedMs < MAX_OTHER_READINGS_MS;
    const best = await this.#findBest(tried, readings, { base, isInTime });
    this.#otherReadingsMs += this.#run.clock.monotonicMs() - startedMs;
    return best;
  }

  async #tryWholeDraft(draft: Draft, base: VerificationReport): Promise<Draft> {
    const earlier = this.#triedDrafts.get(computeChangeKey(draft.files));
    if (!earlier?.report) return this.#check(draft, computeTrialTimeMs(base));
    const { number, report } = earlier;
    return { ...draft, report, ...(number !== draft.number && { duplicateOf: number }) };
  }

  /**
   * Returns the draft, or the first other change that passes all checks, or else the change that passes most. Of two readings that pass
   * equally many, it returns the one that retains more of the files.
   */
  async #findBest(
    draft: Draft,
    changes: readonly (readonly ChangedFile[])[],
    { base, isInTime }: ReadingLimits,
  ): Promise<Draft> {
    let best = draft;
    const { rejectionReason: _rejected, ...rest } = draft;
    for (const files of changes) {
      if (!isInTime()) break;
      if (this.#triedDrafts.has(computeChangeKey(files))) continue;
      const tried = await this.#check(
        { ...rest, files, isOtherReading: true },
        computeTrialTimeMs(base, MIN_READING_CHECK_MS),
      );
      const progress = measureProgress(tried.report);
      const isTie = progress === measureProgress(best.report);
      const isBetter =
        progress > measureProgress(best.report) || (isTie && sizeOf(files) > sizeOf(best.files));
      if (isBetter && progress > measureProgress(base)) best = tried;
      if (passesAll(tried.report)) break;
    }
    return best;
  }

  async #check(draft: Draft, maxMs: number): Promise<Draft> {
    let rejected: string | undefined;
    const report = await runTaskChecks(this.#run, {
      state: 'present',
      change: draft.files,
      maxMs,
      onFailure: (reason) => (rejected = reason),
    });
    if (rejected !== undefined) return { ...draft, rejectionReason: rejected };
    this.#triedDrafts.set(computeChangeKey(draft.files), { number: draft.number, report });
    return { ...draft, ...(report && { report }) };
  }
}

interface ReadingLimits {
  base: VerificationReport;
  /** Returns whether there is time left to try another reading. */
  isInTime: () => boolean;
}

/** Returns the number of characters by which the changed files grow. */
const sizeOf = (files: readonly ChangedFile[]): number =>
  files.reduce((sum, { before = '', after = '' }) => sum + after.length - before.length, 0);
