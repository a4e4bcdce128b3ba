/**
 * The one error of this room. Storage failures are rare, end the current work and are shown to a person, so they
 * are thrown; each has a stable code (docs/ERRORS.md), the file it is about, and what to do.
 */
import { errorCode } from '../values/errors.ts';

const advice = {
  storage_disk_full: 'the disk is full; free some space and start again',
  storage_read_only: 'it cannot be written; check its permissions, or name another folder with',
  storage_corrupt: 'it is damaged',
  storage_other_schema: 'another version of this program wrote it',
  storage_busy: 'another process has locked it for too long',
  storage_locked: 'another worker uses it',
  storage_failed: 'it failed',
} as const;
export type StorageErrorCode = keyof typeof advice;

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  /** The file or folder that it is about. */
  readonly path: string;

  constructor(code: StorageErrorCode, path: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.path = path;
  }
}

const codeByCause: readonly [RegExp, StorageErrorCode][] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'storage_disk_full'],
  [
    /^(SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|EROFS|EACCES|EPERM|EEXIST|ENOTDIR|EISDIR|ENOENT)/,
    'storage_read_only',
  ],
  [/^(SQLITE_CORRUPT|SQLITE_NOTADB)/, 'storage_corrupt'],
  [/^(SQLITE_BUSY|SQLITE_LOCKED)/, 'storage_busy'],
];

/** A database of an earlier or later version: it is neither read nor changed. */
export const otherSchema = (path: string, { found, version }: { found: number | string; version: number }) =>
  new StorageError(
    'storage_other_schema',
    path,
    `${path}: ${advice.storage_other_schema} (schema ${found}, this one has ${version}); use that version, or ` +
      'begin with an empty database: move this one away, or name another',
  );

/** The value that a row holds as JSON text. Throws `StorageError`. */
export function storedJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StorageError('storage_corrupt', path, `${path}: a row cannot be read`, cause);
  }
}

/** Returns the storage error for an error of SQLite or the file system; another error as it is. `setting` names the folder. */
export function storageError(cause: unknown, path: string, setting = 'worker.stateDir'): unknown {
  if (cause instanceof StorageError) return cause;
  const causeCode = errorCode(cause);
  if (!causeCode || !/^(SQLITE_(?!CONSTRAINT)|E[A-Z]+$)/.test(causeCode)) return cause;
  const code = codeByCause.find(([pattern]) => pattern.test(causeCode))?.[1] ?? 'storage_failed';
  const text = code === 'storage_read_only' ? `${advice[code]} ${setting}` : advice[code];
  return new StorageError(code, path, `${path}: ${text} (${causeCode})`, cause);
}
