/** The task's checks between rounds: run after a change, while the model is asked for nothing, if they are quick. */
import type { ChangedFile } from '../../parsing/apply-edits/index.ts';
import { Judge } from '../drafts/judge.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';
import { runTaskChecks, trialTimeMs } from '../task/checking/run-task-checks.ts';
import type { TaskRun } from '../task/task-run.ts';
import { checksNote } from '../verification/correction.ts';

/** An answer as changes of files, the one to try first in front. */
export type Readings = readonly [readonly ChangedFile[], ...(readonly ChangedFile[])[]];

export interface Checked {
  report: VerificationReport;
  /** The text for the model: short if it was given the same before. */
  note: string;
}

/** Checks that take longer on the base are run at the end only. */
const QUICK_MS = 5_000;

export class QuickChecks {
  readonly #run: TaskRun;
  readonly #base: Promise<VerificationReport | undefined> | undefined;
  #lastNote = '';
  #haveFailed = false;
  /** Report of the tree as it is, as far as it was checked in this loop. */
  #last: VerificationReport | undefined;
  /** Changes tried on the tree as it is; what was tried on another one says nothing of it. */
  #trials: { of: VerificationReport; judge: Judge; count: number } | undefined;

  /**
   * `base`: what the checks said of the tree before anything was done; slow ones may still be running. Without it they are
   * run at the end only.
   */
  constructor(run: TaskRun, base: Promise<VerificationReport | undefined> | undefined) {
    this.#run = run;
    this.#base = base;
  }

  /** Records that the checks failed before the stage that begins. */
  markFailed(): void {
    this.#haveFailed = true;
  }

  /** Whether a check failed before the stage began; undefined if that is not known. Waits for slow checks. */
  async failAtStart(): Promise<boolean | undefined> {
    if (this.#haveFailed) return true;
    const status = (await this.#base)?.status;
    if (status === undefined || status === 'auto_pass' || status === 'skip') return undefined;
    return status !== 'pass';
  }

  /** Whether they failed when they ran last in this loop. */
  get failedLast(): boolean {
    return this.#last !== undefined && this.#last.status !== 'pass';
  }

  /** Whether they are worth running after each change. Those that are still running are not: that is not waited for. */
  async areQuick(): Promise<boolean> {
    const base = await Promise.race([this.#base, Promise.resolve(undefined)]);
    return base !== undefined && base.duration_ms < QUICK_MS;
  }

  /** Runs the checks after a change. */
  async afterChange(): Promise<Checked | undefined> {
    const { control } = this.#run;
    const base = (await this.areQuick()) ? await this.#base : undefined;
    if (!base || control.stopReason !== undefined) return undefined;
    const report = await runTaskChecks(this.#run, { state: 'present', atMostMs: trialTimeMs(base) });
    this.#last = report ?? this.#last;
    return this.#noted(report);
  }

  /**
   * The reading of an answer that goes into the tree, and the checks' report of it: the first one if they are not quick,
   * else the first that passes, or what passes most. Nothing is written. Rejects only for a failing disk.
   */
  async tryOut(
    readings: Readings,
  ): Promise<{ files: readonly ChangedFile[]; checked?: Checked | undefined }> {
    const [files, ...others] = readings;
    const base = (await this.areQuick()) ? await this.#base : undefined;
    if (!base || this.#run.control.stopReason !== undefined) return { files };
    const before = this.#last ?? base;
    if (this.#trials?.of !== before) this.#trials = { of: before, judge: new Judge(this.#run), count: 0 };
    this.#trials.count += 1;
    const answer = { number: this.#trials.count, files, readings: others, reason: '', answer: '' };
    const tried = await this.#trials.judge.try(answer, before);
    this.#last = tried.report ?? this.#last;
    return { files: tried.files, checked: this.#noted(tried.report) };
  }

  /** The text of a report for the model. */
  #noted(report: VerificationReport | undefined): Checked | undefined {
    if (!report || report.checks.length === 0) return undefined;
    const whole = checksNote(report);
    const isSame = whole === this.#lastNote;
    this.#lastNote = whole;
    return { report, note: isSame ? sameNote(report) : whole };
  }
}

const sameNote = ({ summary, status }: VerificationReport): string =>
  `Checks: ${summary.passed} of ${summary.total} pass, as before${status === 'pass' ? '' : ', and the same fails'}.`;
