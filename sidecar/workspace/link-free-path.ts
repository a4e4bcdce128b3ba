/** Checks that no link leads a path of a workspace elsewhere, since a task may replace a folder by a link. */
import { realpath } from 'node:fs/promises';

/** Returns whether `path` (relative to `dir`, in bytes) exists and no part of it is a link. Never rejects. */
export async function isLinkFree(dir: string, path: Buffer): Promise<boolean> {
  const root = await realpath(dir, 'buffer').catch(() => undefined);
  if (!root) return false;
  const expectedPath = Buffer.concat([root, Buffer.from('/'), path]);
  const realPath = await realpath(expectedPath, 'buffer').catch(() => undefined);
  return realPath?.equals(expectedPath) ?? false;
}
