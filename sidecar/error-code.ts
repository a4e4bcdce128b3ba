/**
 * The code that an error carries: of a system call, of SQLite, or of a room that says by it what failed
 * (docs/ERRORS.md).
 */

/** `ENOENT`, `SQLITE_FULL` and the like; undefined where there is none. By shape: `node:fs` may throw from another realm. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether it is a failure that says what it is; any other error is a bug. */
export const isCodedError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && errorCode(error) !== undefined;
