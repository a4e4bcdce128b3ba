/** Resolves links in paths. A repository or a task may have created them, and they determine which folder is really read or mounted. */
import { lstatSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, sep } from 'node:path';

/**
 * Returns the real path of `path`. Returns undefined if it is missing or its real path is not below `folder`.
 */
export async function resolveBelow(folder: string, path: string): Promise<string | undefined> {
  const [root, real] = await Promise.all([folder, path].map((one) => realpath(one).catch(() => undefined)));
  return root !== undefined && real?.startsWith(root === '/' ? root : root + sep) ? real : undefined;
}

/** Returns whether `path`, or a folder between it and `folder`, is a link. */
export function hasLinkBelow(folder: string, path: string): boolean {
  for (let currentPath = path; currentPath.startsWith(folder + sep); currentPath = dirname(currentPath)) {
    if (lstatSync(currentPath, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  }
  return false;
}
