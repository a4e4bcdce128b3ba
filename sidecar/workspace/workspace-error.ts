/** Failures of this room: data for `prepareWorkspace`, a `WorkspaceError` where a port's method has no failure shape. */
import type { Failure, Outcome } from '../ports.ts';

/** Thrown by `TaskWorkspace.commit` when git or the disk fails; `code` is listed in docs/ERRORS.md. */
export class WorkspaceError extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'WorkspaceError';
    this.code = failure.code;
    this.retryable = failure.retryable ?? false;
  }
}

/** The value, or a `WorkspaceError`. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new WorkspaceError(outcome.failure);
}

export const success = <T>(value: T): { ok: true; value: T } => ({ ok: true, value });
export const failure = (
  code: string,
  message: string,
  retryable = false,
): { ok: false; failure: Failure } => ({
  ok: false,
  failure: { code, message, retryable },
});

/** A failure of the file system (a full disk, a read-only folder) as data. */
export async function withFiles<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WorkspaceError) return failure(error.code, error.message, error.retryable);
    if (isSystemError(error)) return failure('workspace_io_failed', error.message, true);
    throw error;
  }
}

/** By shape, since an error of `node:fs` may come from another realm. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof error === 'object' && error !== null && 'code' in error && 'syscall' in error && 'message' in error;
