/** `unreachable`: no or an incomplete answer. `refused`: the token. `request`: an invalid request. `failed`: the hub. */
export type HubTrouble = 'unreachable' | 'refused' | 'request' | 'failed';

/** An expected failure of a call. `what` describes the failure, `message` also the remedy on the command line. */
export class HubError extends Error {
  override readonly name = 'HubError';
  readonly trouble: HubTrouble;
  /** Stable code, listed in docs/ERRORS.md. */
  readonly code: string;
  readonly what: string;

  constructor(trouble: HubTrouble, code: string, { what, advice = '' }: { what: string; advice?: string }) {
    super(`${what} ${advice}`.trim());
    this.trouble = trouble;
    this.code = code;
    this.what = what;
  }
}
