/**
 * The hub's admin token, created at the first start and stored in a file of the state folder that only its user can
 * read. Only an interactive terminal shows the token; a log shows the path of the file.
 */
import { randomBytes } from 'node:crypto';
import { chmod, lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../base/values/errors.ts';
import { makeFolder } from '../base/system/make-folder.ts';
import { toStorageError } from '../base/storage/storage-error.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** Format of a usable token: one that this program created, or a long token that the user chose. */
const USABLE_TOKEN = /^[\w.~+/=-]{24,512}$/;
const MAX_FILE_BYTES = 4096;

export const adminTokenFileOf = (stateDir: string): string => join(stateDir, 'hub-admin.token');

/** Returns the stored token, or creates one. Rejects with `StorageError` if the folder cannot be used. */
export async function loadAdminToken(stateDir: string): Promise<string> {
  const path = adminTokenFileOf(stateDir);
  try {
    return await readOrCreateToken(stateDir, path);
  } catch (cause) {
    throw toStorageError(cause, path);
  }
}

async function readOrCreateToken(stateDir: string, path: string): Promise<string> {
  const existing = (await readExistingToken(path))?.trim();
  if (existing !== undefined) {
    if (!USABLE_TOKEN.test(existing)) throw createDamagedTokenError(path);
    await chmod(path, 0o600);
    return existing;
  }
  const token = `osc_admin_${randomBytes(32).toString('base64url')}`;
  makeFolder(stateDir);
  await writeFile(path, `${token}\n`, { mode: 0o600 });
  return token;
}

/** Reads the token file; returns undefined if there is no file. */
async function readExistingToken(path: string): Promise<string | undefined> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) throw createDamagedTokenError(path);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const createDamagedTokenError = (path: string): CommandError =>
  new CommandError(
    EXIT.state,
    'admin_token_damaged',
    `${path} contains no valid admin token: it is empty, truncated or damaged. Restore the token, or delete the file to create a new one.`,
  );

/** Returns the lines that show the dashboard's address and either the admin token or the path of its file. */
export function formatDashboardLines(
  { interactive, color }: Pick<Terminal, 'interactive' | 'color'>,
  { url, adminToken, tokenFile }: { url: string; adminToken: string; tokenFile: string },
): string[] {
  if (interactive) return [`  dashboard   ${color.cyan(`${url}/#token=${adminToken}`)}`];
  return [`  dashboard   ${url}`, `  admin token in ${tokenFile}`];
}
