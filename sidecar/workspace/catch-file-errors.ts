/** Converts thrown failures to returned failures at the boundary of this module. */
import { failure, failureOf, type Outcome } from '../base/values/outcome.ts';

/** Runs `work`. Returns failures of the file system (a full disk, a read-only folder) and of nested calls, instead of throwing them. */
export async function catchFileErrors<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await work();
  } catch (error) {
    if (isSystemError(error)) return failure('workspace_io_failed', error.message, true);
    const codedFailure = failureOf(error);
    if (codedFailure) return { ok: false, failure: codedFailure };
    throw error;
  }
}

/**
 * Returns whether a failed system call threw the error. Checks the error's shape, since an error of `node:fs` may come from another realm.
 */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof error === 'object' && error !== null && 'code' in error && 'syscall' in error && 'message' in error;
