/**
 * Atomic writing (tools.md, ExecutionEnvironment): a temporary file next to the target, then a rename. Readers
 * see the old or the new content, never half of one; the mode stays; a hard link's other names keep the old
 * content, because the inode is never written to.
 */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { EnvironmentError } from './environment-error.ts';
import type { OpenFolder } from './paths.ts';

/** Most bytes that one write may have. */
export const MAX_WRITE_BYTES = 50 * 1024 * 1024;

/** Writes `content` to `name` in `folder`; `before` is what is there now. Rejects with the system's error. */
export async function writeAtomically(
  folder: OpenFolder,
  name: string,
  content: Buffer,
  before: Stats | undefined,
): Promise<void> {
  const temporary = folder.entry(`.write-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const handle = await open(temporary, 'wx', 0o666);
    try {
      await handle.writeFile(content);
      if (before) await keepModeAndOwner(handle, before);
    } finally {
      await handle.close();
    }
    await rename(temporary, folder.entry(name));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

async function keepModeAndOwner(handle: Awaited<ReturnType<typeof open>>, before: Stats): Promise<void> {
  const now = await handle.stat();
  // Only root may give a file away; for anyone else the writer becomes the owner, as with every editor.
  if (process.getuid?.() === 0 && (now.uid !== before.uid || now.gid !== before.gid)) {
    await handle.chown(before.uid, before.gid);
  }
  await handle.chmod(before.mode & 0o777);
}

/** The bytes of `content`, refused when there are too many. */
export function encodeContent(content: string, shown: string): Buffer {
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.length <= MAX_WRITE_BYTES) return bytes;
  throw new EnvironmentError(
    'TOO_LARGE',
    `${bytes.length} bytes are more than the ${MAX_WRITE_BYTES} that may be written to ${shown} at once`,
  );
}
