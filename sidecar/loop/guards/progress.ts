/**
 * Whether a loop gets anywhere: a round is progress when it changed the workspace or showed a line that was not seen before.
 * The workspace is compared after rounds with a call that may write, while the model is thinking already.
 */
import { createHash } from 'node:crypto';
import type { TaskRun } from '../../task/task-run.ts';
import { printedIn } from '../../tools/command-report.ts';
import type { ToolCallResult } from '../../tools/types.ts';

/** `warn`: the model gets a warning; `stop`: the loop ends. */
export type StallVerdict = 'ok' | 'warn' | 'stop';

/** Rounds in a row without progress. */
export const STALL_WARN_ROUNDS = 5;
export const STALL_STOP_ROUNDS = 8;

/** Differs exactly when the workspace's content does; undefined where nothing is to be changed. */
export function fingerprintOf({ limits, workspace }: TaskRun): (() => Promise<string>) | undefined {
  if (limits.readOnly) return undefined;
  return () => workspace.fingerprint();
}

export class Progress {
  readonly #fingerprint: (() => Promise<string>) | undefined;
  /** Whether any round changed the workspace, of those that were judged (`settled`). */
  hasChanged = false;
  #idleRounds = 0;
  readonly #seenLines = new Set<string>();
  #last: string | undefined;
  #pending: Promise<StallVerdict> = Promise.resolve('ok');

  /** Without a fingerprint nothing is to be changed, and nothing is judged. */
  constructor(fingerprint: (() => Promise<string>) | undefined) {
    this.#fingerprint = fingerprint;
  }

  /** Whether rounds are judged. */
  get isWatched(): boolean {
    return this.#fingerprint !== undefined;
  }

  /** True where the next round without progress would warn or stop, so that its outcome is worth waiting for. */
  get nextMatters(): boolean {
    const next = this.#idleRounds + 1;
    return this.isWatched && (next === STALL_WARN_ROUNDS || next >= STALL_STOP_ROUNDS);
  }

  /** Takes the state to compare with, in the background. */
  begin(): void {
    if (this.#fingerprint) this.#pending = this.#compare().then(() => 'ok');
  }

  /**
   * Judges a finished round in the background; resolves to whether it changed anything. `mayChange`: something in it may
   * have changed the workspace. `shown`: results of calls that read.
   */
  async judge(mayChange: boolean, shown: readonly ToolCallResult[] = []): Promise<boolean> {
    const hasShownNew = this.#see(shown);
    if (!this.isWatched) return false;
    const judged = this.#pending.then(() => mayChange && this.#compare());
    this.#pending = judged.then((changed) => {
      this.hasChanged ||= changed;
      return this.#verdict(changed || hasShownNew);
    });
    return judged;
  }

  /** Waits until the last round has been judged. */
  settled(): Promise<StallVerdict> {
    return this.#pending;
  }

  #verdict(isProgress: boolean): StallVerdict {
    this.#idleRounds = isProgress ? 0 : this.#idleRounds + 1;
    if (this.#idleRounds >= STALL_STOP_ROUNDS) return 'stop';
    return this.#idleRounds === STALL_WARN_ROUNDS ? 'warn' : 'ok';
  }

  /** Whether a call that succeeded showed a line that was not seen before; all are seen from then on. */
  #see(results: readonly ToolCallResult[]): boolean {
    const before = this.#seenLines.size;
    for (const { isError, output, details } of results) {
      if (isError || details?.foundNothing) continue;
      const lines = printedIn(output, details).split('\n');
      for (const line of lines.map((text) => text.trim()).filter(Boolean))
        this.#seenLines.add(createHash('sha256').update(line).digest('base64'));
    }
    return this.#seenLines.size > before;
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
