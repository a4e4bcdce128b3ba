/** Defines success and expected failure in one shape. Failures are returned as data, and thrown only to leave nested calls. */
import { createCodedError, isCodedError } from './errors.ts';

/** An expected failure. `code` is stable and listed in docs/ERRORS.md; `message` gives advice. */
export interface Failure {
  code: string;
  message: string;
  /** Whether an unchanged retry may succeed. */
  retryable?: boolean;
}

export type Outcome<T, F = Failure> = { ok: true; value: T } | { ok: false; failure: F };

export const success = <T>(value: T): { ok: true; value: T } => ({ ok: true, value });

export const failure = (
  code: string,
  message: string,
  retryable?: boolean,
): { ok: false; failure: Failure } => ({
  ok: false,
  failure: { code, message, ...(retryable !== undefined && { retryable }) },
});

/** Returns the value, or throws the failure as an error with its code. The outermost caller converts it back with `failureOf`. */
export function unwrapOutcome<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  const { code, message, retryable } = outcome.failure;
  throw Object.assign(createCodedError(code, message), { retryable });
}

/** Returns the failure for a thrown error with a code; undefined for any other error, which is a bug. */
export function failureOf(error: unknown): Failure | undefined {
  if (!isCodedError(error)) return undefined;
  const { code, message } = error;
  return 'retryable' in error && error.retryable === true
    ? { code, message, retryable: true }
    : { code, message };
}
