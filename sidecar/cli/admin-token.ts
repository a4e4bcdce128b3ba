/** The hub's admin token: made at the first start and kept in the state folder, for its user only. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../values/errors.ts';
import { makeFolder } from '../system/make-folder.ts';
import { storageError } from '../storage/storage-error.ts';

export const adminTokenFile = (stateDir: string): string => join(stateDir, 'hub-admin.token');

/** The kept token, or a new one. Rejects with `StorageError` when the folder cannot be used. */
export async function keptAdminToken(stateDir: string): Promise<string> {
  const path = adminTokenFile(stateDir);
  try {
    return await readOrMake(stateDir, path);
  } catch (cause) {
    throw storageError(cause, path);
  }
}

async function readOrMake(stateDir: string, path: string): Promise<string> {
  const existing = (await readIfThere(path)).trim();
  if (existing !== '') return existing;
  const token = `osc_admin_${randomBytes(32).toString('base64url')}`;
  makeFolder(stateDir);
  await writeFile(path, `${token}\n`, { mode: 0o600 });
  return token;
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
