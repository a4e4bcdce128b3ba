/**
 * The task's checks between rounds: run after a change, while the model is asked for nothing, where they are quick. Their
 * reports are in the journal, so that a resumed task tells the model the same.
 */
import type { ChangedFile } from '../applying/index.ts';
import type { VerificationReport } from '../protocol/result.ts';
import { checksNote } from '../verification/checks-note.ts';
import type { TaskRun } from '../task/task-run.ts';

/** The checks of a task as a loop can use them. */
export interface LoopChecks {
  /**
   * What they said of the tree before anything was done; slow ones may still be running. Undefined where that is not
   * known. Rejects only for a failing disk.
   */
  readonly base: Promise<VerificationReport | undefined>;
  /**
   * Runs them on the tree as it is now and leaves nothing of theirs in it; the report is kept in the journal under
   * `stage`. Undefined where they could not be run. Rejects only for a failing disk.
   */
  run(stage: string): Promise<VerificationReport | undefined>;
  /**
   * Tries the readings of an answer in their order, and parts of them: the first that passes, else what
   * passes most, and the report of that where there is one. `before`: of the tree as it is. Nothing is written. Rejects only for
   * a failing disk.
   */
  tryOut(readings: Readings, stage: string, before: VerificationReport): Promise<Tried>;
}

/** An answer as changes of files, the one to try first in front. */
export type Readings = readonly [readonly ChangedFile[], ...(readonly ChangedFile[])[]];

/** A change, or a part of one, and what the checks say of it. */
export interface Tried {
  files: readonly ChangedFile[];
  report?: VerificationReport;
}

export interface Checked {
  report: VerificationReport;
  /** What the model is told: short where it is what it was told before. */
  note: string;
}

/** Checks that take longer on the untouched tree are run at the end only. */
const QUICK_MS = 5_000;

export class QuickChecks {
  readonly #run: TaskRun;
  readonly #checks: LoopChecks | undefined;
  #lastNote = '';
  /** Of the tree as it is, as far as it was checked in this loop. */
  #last: VerificationReport | undefined;

  constructor(run: TaskRun, checks: LoopChecks | undefined) {
    this.#run = run;
    this.#checks = checks;
  }

  /** Whether a check failed before anything was done; undefined where nobody knows. Waits for slow ones. */
  async failAtStart(): Promise<boolean | undefined> {
    const status = (await this.#checks?.base)?.status;
    if (status === undefined || status === 'auto_pass' || status === 'skip') return undefined;
    return status !== 'pass';
  }

  /** Whether they failed when they ran last in this loop. */
  get failedLast(): boolean {
    return this.#last !== undefined && this.#last.status !== 'pass';
  }

  /** Whether they are worth running after each change. Those that are still running are not: that is not waited for. */
  async areQuick(): Promise<boolean> {
    if (!this.#checks) return false;
    const base = await Promise.race([this.#checks.base, Promise.resolve(undefined)]);
    return base !== undefined && base.duration_ms < QUICK_MS;
  }

  /** Runs the checks after a change, once for a `stage`; `isPast`: what followed is in the journal already. */
  async afterChange(stage: string, isPast: boolean): Promise<Checked | undefined> {
    const { journal, control } = this.#run;
    if (!this.#checks || control.stopReason !== undefined || !(await this.areQuick())) return undefined;
    // What an earlier life went on without must not be added to its past.
    if (isPast && (journal?.read(stage).length ?? 0) === 0) return undefined;
    const report = await this.#checks.run(stage);
    this.#last = report ?? this.#last;
    return this.#told(report);
  }

  /**
   * What of an answer is to be put into the tree, and what the checks say of that; its first reading where they are not quick.
   */
  async tryOut(
    stage: string,
    readings: Readings,
  ): Promise<{ files: readonly ChangedFile[]; checked?: Checked | undefined }> {
    const base = (await this.areQuick()) ? await this.#checks?.base : undefined;
    if (!this.#checks || !base || this.#run.control.stopReason !== undefined) return { files: readings[0] };
    const tried = await this.#checks.tryOut(readings, stage, this.#last ?? base);
    this.#last = tried.report ?? this.#last;
    return { files: tried.files, checked: this.#told(tried.report) };
  }

  /** What the model is told of a report. */
  #told(report: VerificationReport | undefined): Checked | undefined {
    if (!report || report.checks.length === 0) return undefined;
    const whole = checksNote(report);
    const isSame = whole === this.#lastNote;
    this.#lastNote = whole;
    return { report, note: isSame ? sameNote(report) : whole };
  }
}

const sameNote = ({ summary, status }: VerificationReport): string =>
  `Checks: ${summary.passed} of ${summary.total} pass, as before${status === 'pass' ? '' : ', and the same fails'}.`;
