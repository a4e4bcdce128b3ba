/**
 * The task's checks between rounds: run after a change, while the model is asked for nothing, where they are quick. Their
 * reports are in the journal, so that a resumed task tells the model the same.
 */
import type { VerificationReport } from '../../protocol/result.ts';
import { checksNote } from '../../verification/checks-note.ts';
import type { TaskRun } from '../task/task-run.ts';

/** The checks of a task as a loop can use them. */
export interface LoopChecks {
  /** What they said of the tree before anything was done. */
  readonly base: VerificationReport;
  /**
   * Runs them on the tree as it is now and leaves nothing of theirs in it; the report is kept in the journal under
   * `stage`. Undefined where they could not be run. Rejects only for a failing disk.
   */
  run(stage: string): Promise<VerificationReport | undefined>;
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
  #lastStatus: VerificationReport['status'] | undefined;

  constructor(run: TaskRun, checks: LoopChecks | undefined) {
    this.#run = run;
    this.#checks = checks;
  }

  /** Whether a check failed before anything was done; undefined where nobody knows. */
  get failsAtStart(): boolean | undefined {
    const status = this.#checks?.base.status;
    if (status === undefined || status === 'auto_pass' || status === 'skip') return undefined;
    return status !== 'pass';
  }

  /** Whether they failed when they ran last in this loop. */
  get failedLast(): boolean {
    return this.#lastStatus !== undefined && this.#lastStatus !== 'pass';
  }

  get areQuick(): boolean {
    return this.#checks !== undefined && this.#checks.base.duration_ms < QUICK_MS;
  }

  /** Runs the checks after a change, once for a `stage`; `isPast`: what followed is in the journal already. */
  async afterChange(stage: string, isPast: boolean): Promise<Checked | undefined> {
    const { journal, control } = this.#run;
    if (!this.#checks || !this.areQuick || control.stopReason !== undefined) return undefined;
    // What an earlier life went on without must not be added to its past.
    if (isPast && (journal?.read(stage).length ?? 0) === 0) return undefined;
    const report = await this.#checks.run(stage);
    if (!report || report.checks.length === 0) return undefined;
    this.#lastStatus = report.status;
    const whole = checksNote(report);
    const isSame = whole === this.#lastNote;
    this.#lastNote = whole;
    return { report, note: isSame ? sameNote(report) : whole };
  }
}

const sameNote = ({ summary, status }: VerificationReport): string =>
  `Checks: ${summary.passed} of ${summary.total} pass, as before${status === 'pass' ? '' : ', and the same fails'}.`;
