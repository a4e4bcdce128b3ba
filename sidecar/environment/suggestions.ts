/**
 * The existing paths closest to one that does not exist (tools.md, Errors are results). A bounded walk: it may
 * miss something in a very large workspace, it never takes long.
 */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { editDistance } from '../edit-distance.ts';

const MAX_ENTRIES = 5000;
const MAX_DEPTH = 8;
const MAX_SUGGESTIONS = 3;
/** Of longer names and paths the ends are compared. */
const MAX_COMPARED_CHARS = 120;
const SKIPPED = new Set(['.git', 'node_modules']);

/** Up to three paths relative to `root`, the closest first; empty when nothing is similar. */
export async function suggestPaths(root: string, missing: string): Promise<string[]> {
  const wanted = missing.toLowerCase();
  const wantedName = basename(wanted);
  const scored: { path: string; score: number }[] = [];
  for (const path of await walk(root)) {
    const name = basename(path).toLowerCase();
    const nameDistance = distance(name, wantedName);
    if (nameDistance > Math.max(2, wantedName.length / 3) && stem(name) !== stem(wantedName)) continue;
    scored.push({ path, score: nameDistance * 10 + distance(path.toLowerCase(), wanted) });
  }
  scored.sort((a, b) => a.score - b.score || a.path.localeCompare(b.path));
  return scored.slice(0, MAX_SUGGESTIONS).map(({ path }) => path);
}

const distance = (a: string, b: string): number =>
  editDistance(a.slice(-MAX_COMPARED_CHARS), b.slice(-MAX_COMPARED_CHARS));

function stem(name: string): string {
  return name.replace(/(?<=.)\..*$/, '');
}

async function walk(root: string): Promise<string[]> {
  const found: string[] = [];
  const open = [{ path: '', depth: 1 }];
  for (let folder = open.shift(); folder; folder = open.shift()) {
    const { path, depth } = folder;
    const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (found.length >= MAX_ENTRIES) return found;
      if (SKIPPED.has(entry.name)) continue;
      const child = path ? `${path}/${entry.name}` : entry.name;
      found.push(child);
      if (entry.isDirectory() && depth < MAX_DEPTH) open.push({ path: child, depth: depth + 1 });
    }
  }
  return found;
}
