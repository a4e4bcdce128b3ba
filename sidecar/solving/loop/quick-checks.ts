/** Runs the task's checks between rounds, if they are quick: after a change and before the next question to the model. */
import type { ChangedFile } from '../../parsing/apply-edits/index.ts';
import { DraftVerifier } from '../drafts/draft-verifier.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';
import { runTaskChecks, computeTrialTimeMs } from '../task/checking/run-task-checks.ts';
import type { TaskRun } from '../task/task-run.ts';
import { formatChecksNote } from '../verification/correction.ts';

/** Candidates of one answer, each with its changed files. The first candidate is tried first. */
export type CandidateChanges = readonly [readonly ChangedFile[], ...(readonly ChangedFile[])[]];

export interface ReportWithNote {
  report: VerificationReport;
  /** Text for the model. It is short if it equals the previous text. */
  note: string;
}

/** Maximum duration of quick checks on the base. Slower checks run only at the end. */
const QUICK_MS = 5_000;

export class QuickChecks {
  readonly #run: TaskRun;
  readonly #baseReport: Promise<VerificationReport | undefined> | undefined;
  #lastNote = '';
  #haveChecksFailed = false;
  /** Last report of the checks in this loop, if they have run. */
  #lastReport: VerificationReport | undefined;
  /** Changes that were tried on the tree of `report`. A change of the tree discards them. */
  #trials: { report: VerificationReport; draftVerifier: DraftVerifier; count: number } | undefined;

  /** `baseReport`: the report of the checks on the base; slow checks may still be running. If undefined, the checks run only at the end. */
  constructor(run: TaskRun, baseReport: Promise<VerificationReport | undefined> | undefined) {
    this.#run = run;
    this.#baseReport = baseReport;
  }

  /** Records that the checks failed before this stage. */
  markFailed(): void {
    this.#haveChecksFailed = true;
  }

  /** Returns whether a check failed before the stage, or undefined if that is unknown. Waits for slow checks. */
  async haveFailedAtStart(): Promise<boolean | undefined> {
    if (this.#haveChecksFailed) return true;
    const status = (await this.#baseReport)?.status;
    if (status === undefined || status === 'auto_pass' || status === 'skip') return undefined;
    return status !== 'pass';
  }

  /** Whether the checks failed when they last ran in this loop. */
  get haveFailedLast(): boolean {
    return this.#lastReport !== undefined && this.#lastReport.status !== 'pass';
  }

  /**
   * Returns whether the checks are quick enough to run after each change. Checks that still run on the base count as slow: the stage
   * began only after quick ones had ended.
   */
  async areQuick(): Promise<boolean> {
    const base = await Promise.race([this.#baseReport, Promise.resolve(undefined)]);
    return base !== undefined && base.duration_ms < QUICK_MS;
  }

  /** Runs the checks after a change, if they are quick. */
  async runAfterChange(): Promise<ReportWithNote | undefined> {
    const { control } = this.#run;
    const base = (await this.areQuick()) ? await this.#baseReport : undefined;
    if (!base || control.stopReason !== undefined) return undefined;
    const report = await runTaskChecks(this.#run, { state: 'present', maxMs: computeTrialTimeMs(base) });
    this.#lastReport = report ?? this.#lastReport;
    return this.#addNote(report);
  }

  /**
   * Chooses the candidate of an answer that is written into the tree, and returns it with its report. If the checks are slow, this is the
   * first candidate; otherwise the first that passes, or the one with the most passing checks. Writes nothing. Rejects only on a storage
   * error.
   */
  async chooseCandidate(
    candidates: CandidateChanges,
  ): Promise<{ files: readonly ChangedFile[]; checked?: ReportWithNote | undefined }> {
    const [files, ...others] = candidates;
    const base = (await this.areQuick()) ? await this.#baseReport : undefined;
    if (!base || this.#run.control.stopReason !== undefined) return { files };
    const reportBefore = this.#lastReport ?? base;
    if (this.#trials?.report !== reportBefore)
      this.#trials = { report: reportBefore, draftVerifier: new DraftVerifier(this.#run), count: 0 };
    this.#trials.count += 1;
    const draft = { number: this.#trials.count, files, readings: others, reason: '', answer: '' };
    const trial = await this.#trials.draftVerifier.try(draft, reportBefore);
    this.#lastReport = trial.report ?? this.#lastReport;
    return { files: trial.files, checked: this.#addNote(trial.report) };
  }

  /** Adds the text for the model to a report. */
  #addNote(report: VerificationReport | undefined): ReportWithNote | undefined {
    if (!report || report.checks.length === 0) return undefined;
    const fullNote = formatChecksNote(report);
    const isSame = fullNote === this.#lastNote;
    this.#lastNote = fullNote;
    return { report, note: isSame ? formatUnchangedNote(report) : fullNote };
  }
}

const formatUnchangedNote = ({ summary, status }: VerificationReport): string =>
  `Checks: ${summary.passed} of ${summary.total} pass, as before${status === 'pass' ? '' : ', and the same checks fail'}.`;
