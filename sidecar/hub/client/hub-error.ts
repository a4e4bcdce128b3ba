/**
 * Kind of a failed call. `unreachable`: there was no answer or an incomplete one. `refused`: the hub refused the token.
 * `request`: the request is invalid. `failed`: the hub failed.
 */
export type HubErrorKind = 'unreachable' | 'refused' | 'request' | 'failed';

/** An expected failure of a call. `problem` describes the failure; `message` adds the remedy for the command line. */
export class HubError extends Error {
  override readonly name = 'HubError';
  readonly kind: HubErrorKind;
  /** Stable code, listed in docs/ERRORS.md. */
  readonly code: string;
  readonly problem: string;

  constructor(trouble: HubErrorKind, code: string, { what, advice = '' }: { what: string; advice?: string }) {
    super(`${what} ${advice}`.trim());
    this.kind = trouble;
    this.code = code;
    this.problem = what;
  }
}
