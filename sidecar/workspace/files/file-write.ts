/**
 * Writes files atomically: into a temporary file next to the target, which is then renamed. Readers see the old or the new content, never a
 * part of it. The mode remains. Other names of a hard link retain the old content, since the old inode is never written to.
 */
import type { Stats } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { createTemporaryName } from '../../base/system/temporary-file.ts';
import { encodeText } from './encoding.ts';
import { EnvironmentError } from './environment-error.ts';
import { isLfsPointer, MAX_POINTER_BYTES } from '../../base/values/lfs-pointer.ts';
import type { OpenFolder } from './workspace-paths.ts';

/** Maximum number of bytes of one write. */
export const MAX_WRITE_BYTES = 50 * 1024 * 1024;

/**
 * New content in a temporary file beside its target. Either `commit` or `discard` must be called, once. Both reject with the system's
 * error.
 */
export interface StagedContent {
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Writes `content` beside `name` in `folder`. The folder must remain open until the content is committed or discarded. `before` is the
 * present file. Rejects with the system's error and leaves no file behind.
 */
export async function stageContent(
  folder: OpenFolder,
  name: string,
  content: Buffer,
  before: Stats | undefined,
): Promise<StagedContent> {
  const temporary = folder.entry(createTemporaryName());
  const discard = (): Promise<void> => unlink(temporary);
  try {
    await writeNewFile(temporary, content, before);
  } catch (error) {
    await discard().catch(() => undefined);
    throw error;
  }
  return { commit: () => renameOrRemove(temporary, folder.entry(name)), discard };
}

async function renameOrRemove(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    await unlink(from).catch(() => undefined);
    throw error;
  }
}

async function writeNewFile(path: string, content: Buffer, before: Stats | undefined): Promise<void> {
  const handle = await open(path, 'wx', 0o666);
  try {
    await handle.writeFile(content);
    if (before) await copyModeAndOwner(handle, before);
  } finally {
    await handle.close();
  }
}

async function copyModeAndOwner(handle: Awaited<ReturnType<typeof open>>, before: Stats): Promise<void> {
  const stats = await handle.stat();
  // Only root can change the owner of a file. For any other user, the file then belongs to the writer, as with every editor.
  if (process.getuid?.() === 0 && (stats.uid !== before.uid || stats.gid !== before.gid)) {
    await handle.chown(before.uid, before.gid);
  }
  await handle.chmod(before.mode & 0o777);
}

/** Encodes `content` like the file that it replaces. Throws if there are too many bytes, or if a character cannot be encoded. */
export function encodeContent(content: string, shownPath: string, before?: Buffer): Buffer {
  if (before && isLfsPointer(before.toString('latin1', 0, MAX_POINTER_BYTES + 1)))
    throw new EnvironmentError(
      'PATH_PROTECTED',
      `${shownPath} is stored in Git LFS: only its pointer is here, and its content cannot be written`,
    );
  const bytes = encodeText(content, before);
  if ('unknownCharacters' in bytes)
    throw new EnvironmentError(
      'BINARY_FILE',
      `${shownPath} was not written: its encoding is unknown (not UTF-8), so these new characters cannot be encoded: ${bytes.unknownCharacters}. Use ASCII instead, or write the file with a shell command`,
    );
  if (bytes.length <= MAX_WRITE_BYTES) return bytes;
  throw new EnvironmentError(
    'TOO_LARGE',
    `${bytes.length} bytes are more than the ${MAX_WRITE_BYTES} that may be written to ${shownPath} at once`,
  );
}
