/**
 * Notices a model that works without changing anything: a warning after three rounds in a
 * row that left the workspace as it was, the end after five.
 */
export type StallVerdict = 'ok' | 'warn' | 'stop';

export const STALL_WARN_ROUNDS = 3;
export const STALL_STOP_ROUNDS = 5;

export class StallGuard {
  #unchangedRounds = 0;
  readonly #enabled: boolean;

  constructor(enabled: boolean) {
    this.#enabled = enabled;
  }

  /** True where the next unchanged round would warn or stop, so that its outcome is worth waiting for. */
  get nextMatters(): boolean {
    const next = this.#unchangedRounds + 1;
    return this.#enabled && (next === STALL_WARN_ROUNDS || next >= STALL_STOP_ROUNDS);
  }

  get enabled(): boolean {
    return this.#enabled;
  }

  /** Counts one finished round. */
  observe(changed: boolean): StallVerdict {
    if (!this.#enabled) return 'ok';
    this.#unchangedRounds = changed ? 0 : this.#unchangedRounds + 1;
    if (this.#unchangedRounds >= STALL_STOP_ROUNDS) return 'stop';
    return this.#unchangedRounds === STALL_WARN_ROUNDS ? 'warn' : 'ok';
  }
}
