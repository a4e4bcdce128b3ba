/**
 * Notices a model that gets nowhere: rounds that neither change the workspace nor show anything that was not seen before. It
 * is told what is expected after five in a row, and stopped after three more.
 */
export type StallVerdict = 'ok' | 'warn' | 'stop';

export const STALL_WARN_ROUNDS = 5;
export const STALL_STOP_ROUNDS = 8;

export class StallGuard {
  #idleRounds = 0;
  readonly #enabled: boolean;

  constructor(enabled: boolean) {
    this.#enabled = enabled;
  }

  /** True where the next round without progress would warn or stop, so that its outcome is worth waiting for. */
  get nextMatters(): boolean {
    const next = this.#idleRounds + 1;
    return this.#enabled && (next === STALL_WARN_ROUNDS || next >= STALL_STOP_ROUNDS);
  }

  get enabled(): boolean {
    return this.#enabled;
  }

  /** Counts one finished round. `isProgress`: it changed a file, or showed something new. */
  observe(isProgress: boolean): StallVerdict {
    if (!this.#enabled) return 'ok';
    this.#idleRounds = isProgress ? 0 : this.#idleRounds + 1;
    if (this.#idleRounds >= STALL_STOP_ROUNDS) return 'stop';
    return this.#idleRounds === STALL_WARN_ROUNDS ? 'warn' : 'ok';
  }
}
