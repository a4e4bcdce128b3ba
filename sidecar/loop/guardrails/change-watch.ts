/**
 * Tells whether a round changed the workspace: the content is compared after rounds with a call that may write, while the
 * model is thinking already. The verdicts of past rounds come from the journal, because the workspace cannot tell them any
 * more.
 */
import type { Checkpoint } from '../../task/checkpoint.ts';
import type { TaskRun } from '../../task/task-run.ts';
import type { StallGuard, StallVerdict } from './stall.ts';

/** The round before the first. */
const BEGINNING = 0;

/**
 * Differs exactly when the workspace's content does; undefined where nothing is to be changed. The base belongs to it: a
 * workspace that was opened anew after a crash may begin from another.
 */
export function fingerprintOf({ limits, workspace }: TaskRun): (() => Promise<string>) | undefined {
  if (limits.readOnly) return undefined;
  return async () => `${workspace.baseCommit} ${await workspace.fingerprint()}`;
}

export class ChangeWatch {
  readonly #fingerprint: (() => Promise<string>) | undefined;
  readonly #checkpoint: Checkpoint;
  readonly #stall: StallGuard;
  /** Whether any round changed the workspace, of those that were judged (`settled`). */
  hasChanged = false;
  #last: string | undefined;
  /** The state before the first round was lost: a round of an earlier life that may have changed something counts as a change. */
  #beganLate = false;
  #pending: Promise<StallVerdict> = Promise.resolve('ok');

  constructor(fingerprint: (() => Promise<string>) | undefined, checkpoint: Checkpoint, stall: StallGuard) {
    this.#fingerprint = fingerprint;
    this.#checkpoint = checkpoint;
    this.#stall = stall;
  }

  /** Takes the state to compare with, in the background. */
  begin(): void {
    if (!this.#fingerprint) return;
    const past = this.#checkpoint.change(BEGINNING);
    this.#last = past?.fingerprint;
    this.#beganLate = past === undefined && this.#checkpoint.hasAnswer(1);
    if (!past) this.#pending = this.#takeFirst();
  }

  /**
   * Judges a finished round in the background; resolves to whether it changed anything. `mayChange`: something in it may
   * have changed the workspace. `hasShownNew`: it is progress even if it changed nothing.
   */
  roundEnded(round: number, mayChange: boolean, { hasShownNew = false } = {}): Promise<boolean> {
    const judged = this.#pending.then(() => this.#changed(round, mayChange));
    this.#pending = judged.then((changed) => {
      this.hasChanged ||= changed;
      return this.#stall.observe(changed || hasShownNew);
    });
    return judged;
  }

  /** Waits until the last round has been judged. */
  settled(): Promise<StallVerdict> {
    return this.#pending;
  }

  async #takeFirst(): Promise<StallVerdict> {
    await this.#compare();
    this.#checkpoint.recordChange(BEGINNING, { changed: false, fingerprint: this.#last });
    return 'ok';
  }

  async #changed(round: number, mayChange: boolean): Promise<boolean> {
    const past = this.#checkpoint.change(round);
    if (past) {
      this.#last = past.fingerprint;
      return past.changed;
    }
    if (!mayChange) return this.#record(round, false);
    const differs = await this.#compare();
    return this.#record(round, differs || (this.#beganLate && this.#checkpoint.hasAnswer(round)));
  }

  #record(round: number, changed: boolean): boolean {
    this.#checkpoint.recordChange(round, { changed, fingerprint: this.#last });
    return changed;
  }

  /** True when the content differs from what it was at the last look. */
  async #compare(): Promise<boolean> {
    try {
      const now = await this.#fingerprint?.();
      const changed = now !== this.#last;
      this.#last = now;
      return changed;
    } catch {
      // A workspace that cannot be compared must not end a task that may be working.
      return true;
    }
  }
}
