/** Why the hub did not do what it was asked. */

/** `unreachable`: no answer, or a part of one. `refused`: the token. `request`: what was asked. `failed`: the hub itself. */
export type HubTrouble = 'unreachable' | 'refused' | 'request' | 'failed';

/** An expected failure of a call. `what` says what happened, `message` also what to do at a command line. */
export class HubError extends Error {
  override readonly name = 'HubError';
  readonly trouble: HubTrouble;
  /** Stable, listed in docs/ERRORS.md. */
  readonly code: string;
  readonly what: string;

  constructor(trouble: HubTrouble, code: string, { what, advice = '' }: { what: string; advice?: string }) {
    super(`${what} ${advice}`.trim());
    this.trouble = trouble;
    this.code = code;
    this.what = what;
  }
}
