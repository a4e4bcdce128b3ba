/** Runs the task's checks between rounds after a change, before the next question to the model, if they are quick. */
import type { ChangedFile } from '../../parsing/apply-edits/index.ts';
import { Judge } from '../drafts/judge.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';
import { runTaskChecks, trialTimeMs } from '../task/checking/run-task-checks.ts';
import type { TaskRun } from '../task/task-run.ts';
import { checksNote } from '../verification/correction.ts';

/** The candidates of an answer as changed files; the first one is tried first. */
export type Readings = readonly [readonly ChangedFile[], ...(readonly ChangedFile[])[]];

export interface CheckedReport {
  report: VerificationReport;
  /** Text for the model, shortened if it is equal to the last one. */
  note: string;
}

/** Slower checks (on the base) run only at the end. */
const QUICK_MS = 5_000;

export class QuickChecks {
  readonly #run: TaskRun;
  readonly #base: Promise<VerificationReport | undefined> | undefined;
  #lastNote = '';
  #haveFailed = false;
  /** Report of the present tree, if it was checked in this loop. */
  #last: VerificationReport | undefined;
  /** Changes that were tried on the present tree; trials on another tree do not apply to it. */
  #trials: { of: VerificationReport; judge: Judge; count: number } | undefined;

  /**
   * `base`: the checks' report of the tree before the work; slow checks may still be running. Without it the checks run only at the end.
   */
  constructor(run: TaskRun, base: Promise<VerificationReport | undefined> | undefined) {
    this.#run = run;
    this.#base = base;
  }

  /** Records that the checks failed before the next stage. */
  markFailed(): void {
    this.#haveFailed = true;
  }

  /** Returns whether a check failed before the stage; undefined if unknown. Waits for slow checks. */
  async failAtStart(): Promise<boolean | undefined> {
    if (this.#haveFailed) return true;
    const status = (await this.#base)?.status;
    if (status === undefined || status === 'auto_pass' || status === 'skip') return undefined;
    return status !== 'pass';
  }

  /** Whether the checks failed when they last ran in this loop. */
  get failedLast(): boolean {
    return this.#last !== undefined && this.#last.status !== 'pass';
  }

  /** Returns whether the checks are quick enough to run after each change. Checks that are still running on the base are not. */
  async areQuick(): Promise<boolean> {
    const base = await Promise.race([this.#base, Promise.resolve(undefined)]);
    return base !== undefined && base.duration_ms < QUICK_MS;
  }

  /** Runs the checks after a change. */
  async afterChange(): Promise<CheckedReport | undefined> {
    const { control } = this.#run;
    const base = (await this.areQuick()) ? await this.#base : undefined;
    if (!base || control.stopReason !== undefined) return undefined;
    const report = await runTaskChecks(this.#run, { state: 'present', maxMs: trialTimeMs(base) });
    this.#last = report ?? this.#last;
    return this.#withNote(report);
  }

  /**
   * Chooses the candidate of an answer that goes into the tree, with its report: the first candidate if the checks are slow, else the first
   * that passes, or the one that passes most. Writes nothing. Rejects only on a storage error.
   */
  async tryOut(
    readings: Readings,
  ): Promise<{ files: readonly ChangedFile[]; checked?: CheckedReport | undefined }> {
    const [files, ...others] = readings;
    const base = (await this.areQuick()) ? await this.#base : undefined;
    if (!base || this.#run.control.stopReason !== undefined) return { files };
    const before = this.#last ?? base;
    if (this.#trials?.of !== before) this.#trials = { of: before, judge: new Judge(this.#run), count: 0 };
    this.#trials.count += 1;
    const answer = { number: this.#trials.count, files, readings: others, reason: '', answer: '' };
    const tried = await this.#trials.judge.try(answer, before);
    this.#last = tried.report ?? this.#last;
    return { files: tried.files, checked: this.#withNote(tried.report) };
  }

  /** Adds the text for the model to a report. */
  #withNote(report: VerificationReport | undefined): CheckedReport | undefined {
    if (!report || report.checks.length === 0) return undefined;
    const whole = checksNote(report);
    const isSame = whole === this.#lastNote;
    this.#lastNote = whole;
    return { report, note: isSame ? sameNote(report) : whole };
  }
}

const sameNote = ({ summary, status }: VerificationReport): string =>
  `Checks: ${summary.passed} of ${summary.total} pass, as before${status === 'pass' ? '' : ', and the same fails'}.`;
