/**
 * Defines the error of storage failures. They are thrown instead of returned, since they are rare, end the current work and are shown to a
 * user. Each has a stable code (docs/ERRORS.md), the path of its file, and advice.
 */
import { errorCode, errorMessage } from '../values/errors.ts';

const ADVICE_BY_CODE = {
  storage_disk_full: 'the disk is full; free some space and start again',
  storage_read_only: 'it cannot be written; check its permissions, or set another folder with',
  storage_corrupt: 'the file is damaged or not a database; move it away to start with an empty one',
  storage_other_schema: 'another version of ollama-sidecar wrote it',
  storage_busy: 'another process has locked it; find the process (lsof) and end it',
  storage_locked: 'another worker uses it',
  storage_failed: 'the disk or the database failed; see the error code',
} as const;
export type StorageErrorCode = keyof typeof ADVICE_BY_CODE;

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  /** File or folder whose access failed. */
  readonly path: string;

  constructor(code: StorageErrorCode, path: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.path = path;
  }
}

const codePatterns: readonly [RegExp, StorageErrorCode][] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'storage_disk_full'],
  [
    /^(SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|EROFS|EACCES|EPERM|EEXIST|ENOTDIR|EISDIR|ENOENT)/,
    'storage_read_only',
  ],
  [/^(SQLITE_CORRUPT|SQLITE_NOTADB)/, 'storage_corrupt'],
  [/^(SQLITE_BUSY|SQLITE_LOCKED)/, 'storage_busy'],
];

/**
 * Returns the error for a database that this version can neither read nor change. With `newer`, a later version wrote it, and `schemaName`
 * is a migration unknown to this version. With `foreign`, another program or a version before 0.1 wrote it, and `schemaName` is its version
 * number.
 */
export const createSchemaError = (
  path: string,
  kind: 'newer' | 'foreign',
  schemaName: string,
): StorageError =>
  new StorageError(
    'storage_other_schema',
    path,
    kind === 'newer'
      ? `${path}: a newer version of ollama-sidecar wrote it (migration ${schemaName}); update ollama-sidecar, or use another database`
      : `${path}: another program wrote it, or ollama-sidecar before 0.1 (schema ${schemaName}); move it away, or use another database`,
  );

/** Parses the JSON text of a row. Throws `StorageError`. */
export function parseStoredJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StorageError(
      'storage_corrupt',
      path,
      `${path}: a row is not valid JSON; the file may be damaged: move it away to start with an empty one`,
      cause,
    );
  }
}

/**
 * Converts an error of SQLite or the file system to a storage error. Returns other errors unchanged.
 * `setting`: the setting that names the folder.
 */
export function toStorageError(cause: unknown, path: string, setting = 'worker.stateDir'): unknown {
  if (cause instanceof StorageError) return cause;
  const causeCode = errorCode(cause);
  if (!causeCode || !/^(SQLITE_(?!CONSTRAINT)|E[A-Z]+$)/.test(causeCode)) return cause;
  const code = codePatterns.find(([pattern]) => pattern.test(causeCode))?.[1] ?? 'storage_failed';
  const text = code === 'storage_read_only' ? `${ADVICE_BY_CODE[code]} ${setting}` : ADVICE_BY_CODE[code];
  const detail = code === 'storage_failed' ? `${causeCode}: ${errorMessage(cause)}` : causeCode;
  return new StorageError(code, path, `${path}: ${text} (${detail})`, cause);
}
