/**
 * Suggests paths for a path that does not exist or leaves the workspace. The search is bounded: in a very large workspace it may miss
 * paths, but it never takes long.
 */
import { lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { measureEditDistance } from '../../base/values/edit-distance.ts';
import { findFiles } from './find-files.ts';

const MAX_ENTRIES = 5000;
const MAX_DEPTH = 8;
const MAX_SUGGESTIONS = 3;
/** Maximum length of compared names and paths; of longer ones only the ends are compared. */
const MAX_COMPARED_CHARS = 120;

/** Roots of other sandboxes, which models confuse with the workspace. */
const FAMILIAR_ROOTS = /^\/(workspace|workspaces|repo|app|project|code|testbed|src)\/(?=.)/;
const MAX_SEGMENTS = 16;

/**
 * Returns the path in the workspace that an absolute path outside of it most likely means: its longest suffix that exists below `root`, or
 * else the part after a root folder that models know from other sandboxes. Nothing outside is read, and links are not followed.
 */
export async function guessPath(root: string, path: string): Promise<string | undefined> {
  if (!path.startsWith('/')) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..') || segments.length > MAX_SEGMENTS) return undefined;
  for (let from = 0; from < segments.length; from += 1) {
    const suffix = segments.slice(from).join('/');
    if (await exists(join(root, suffix))) return suffix;
  }
  return FAMILIAR_ROOTS.test(path) ? segments.slice(1).join('/') : undefined;
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Returns at most three similar paths relative to `root`, the closest first. */
export async function suggestPaths(root: string, missing: string): Promise<string[]> {
  const wantedPath = missing.toLowerCase();
  const wantedName = basename(wantedPath);
  const scored: { path: string; score: number }[] = [];
  for (const { path } of await findFiles(root, { maxEntries: MAX_ENTRIES, maxDepth: MAX_DEPTH })) {
    const name = basename(path).toLowerCase();
    const nameDistance = measureDistance(name, wantedName);
    if (
      nameDistance > Math.max(2, wantedName.length / 3) &&
      removeExtension(name) !== removeExtension(wantedName)
    )
      continue;
    scored.push({ path, score: nameDistance * 10 + measureDistance(path.toLowerCase(), wantedPath) });
  }
  scored.sort((a, b) => a.score - b.score || a.path.localeCompare(b.path));
  return scored.slice(0, MAX_SUGGESTIONS).map(({ path }) => path);
}

const measureDistance = (a: string, b: string): number =>
  measureEditDistance(a.slice(-MAX_COMPARED_CHARS), b.slice(-MAX_COMPARED_CHARS));

function removeExtension(name: string): string {
  return name.replace(/(?<=.)\..*$/, '');
}
