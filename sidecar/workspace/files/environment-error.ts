/**
 * Defines the only error of this module. Its code is stable (docs/ERRORS.md). Its message is written for the model: it explains why the
 * request failed and how to correct it. It never contains content from outside of the workspace.
 */
import { errorCode, errorMessage } from '../../base/values/errors.ts';

/** Codes of the failures of a request to an environment. */
export type EnvironmentErrorCode =
  | 'PATH_OUTSIDE_WORKSPACE'
  | 'PATH_PROTECTED'
  | 'INVALID_PATH'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'IS_DIRECTORY'
  | 'NOT_A_DIRECTORY'
  | 'NOT_A_FILE'
  | 'BINARY_FILE'
  | 'TOO_LARGE'
  | 'ACCESS_DENIED'
  | 'DISK_FULL'
  | 'INVALID_PATTERN'
  | 'COMMAND_DENIED'
  | 'COMMAND_NOT_STARTED'
  | 'SEARCH_FAILED'
  | 'ABORTED'
  | 'SANDBOX_UNAVAILABLE'
  | 'IO_ERROR';

/** Codes of refused paths that are part of the message. Logs and tests search for these codes, and a model that sees them stops trying. */
const NAMED_REFUSALS: ReadonlySet<EnvironmentErrorCode> = new Set([
  'PATH_OUTSIDE_WORKSPACE',
  'PATH_PROTECTED',
]);

/** A request that an environment refuses or cannot execute; the only rejection of its methods. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  readonly code: EnvironmentErrorCode;

  constructor(code: EnvironmentErrorCode, message: string, options?: { cause?: unknown }) {
    super(NAMED_REFUSALS.has(code) ? `${code}: ${message}` : message, options);
    this.code = code;
  }
}

const codeByErrno: Record<string, { code: EnvironmentErrorCode; text: string }> = {
  ENOENT: { code: 'NOT_FOUND', text: 'does not exist' },
  EEXIST: { code: 'ALREADY_EXISTS', text: 'exists already' },
  EISDIR: { code: 'IS_DIRECTORY', text: 'is a directory' },
  ENOTDIR: { code: 'NOT_A_DIRECTORY', text: 'has a parent that is not a directory' },
  ENOTEMPTY: { code: 'ALREADY_EXISTS', text: 'is a directory that is not empty' },
  EACCES: { code: 'ACCESS_DENIED', text: 'may not be accessed by this user' },
  EPERM: { code: 'ACCESS_DENIED', text: 'may not be changed by this user' },
  EROFS: { code: 'ACCESS_DENIED', text: 'is on a read-only file system' },
  ELOOP: { code: 'PATH_OUTSIDE_WORKSPACE', text: 'became a symbolic link while it was used' },
  ENAMETOOLONG: { code: 'INVALID_PATH', text: 'is too long for the file system' },
  EINVAL: { code: 'INVALID_PATH', text: 'is not a valid path' },
  ENXIO: { code: 'NOT_A_FILE', text: 'is a socket or a pipe, not a file' },
  ENOSPC: { code: 'DISK_FULL', text: 'cannot be written: the disk is full' },
  EDQUOT: { code: 'DISK_FULL', text: 'cannot be written: the disk quota is used up' },
};

/** Converts a failed system call on `shownPath` to an `EnvironmentError`; returns an `EnvironmentError` unchanged. */
export function toEnvironmentError(error: unknown, shownPath: string): EnvironmentError {
  if (error instanceof EnvironmentError) return error;
  const errno = errorCode(error) ?? '';
  const mapping = codeByErrno[errno];
  if (mapping) return new EnvironmentError(mapping.code, `${shownPath} ${mapping.text}`, { cause: error });
  const detail = errno || errorMessage(error);
  return new EnvironmentError('IO_ERROR', `${shownPath}: the system call failed (${detail})`, {
    cause: error,
  });
}
