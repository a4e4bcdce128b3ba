/** Creates temporary folders. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCodedError, errorCode } from '../values/errors.ts';

/**
 * Creates a new folder whose name begins with `prefix`. Throws with the code `temporary_folder` on failure.
 */
export function makeTemporaryFolder(prefix: string, parent = tmpdir()): string {
  try {
    return mkdtempSync(join(parent, prefix));
  } catch (cause) {
    const message = `The temporary folder ${parent} cannot be written (${errorCode(cause) ?? 'unknown'}). Free some space there, change its permissions, or choose another folder with TMPDIR`;
    throw createCodedError('temporary_folder', message, { cause });
  }
}
