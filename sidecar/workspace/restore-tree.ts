/**
 * Puts a folder back to an earlier state of its own, which git has as a tree: files that differ are written anew, those
 * that came since are removed. Ignored files, and what no snapshot can hold, stay as they are.
 */
import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Outcome } from '../ports.ts';
import { runGit } from './git.ts';
import { removeFolder } from '../system/remove-folder.ts';
import {
  absolute,
  callOf,
  changedPaths,
  joinNul,
  splitNul,
  writeSnapshot,
  type WorkTree,
} from './work-tree.ts';
import { failure, success, withFiles } from './workspace-error.ts';

const CHECKOUT_TIMEOUT_MS = 300_000;
const BATCH = 64;

/** Only while nobody works in the folder. `treeId` is one that `snapshot` gave. */
export async function restoreTree(tree: WorkTree, treeId: string): Promise<Outcome<true>> {
  if (!/^[\da-f]{40,64}$/u.test(treeId)) return failure('git_failed', `${treeId} is no tree of git`);
  return withFiles(() => restore(tree, treeId));
}

async function restore(tree: WorkTree, treeId: string): Promise<Outcome<true>> {
  const present = `${tree.baseIndex}.present`;
  const wanted = { ...tree, baseIndex: `${tree.baseIndex}.wanted` };
  try {
    const read = await runGit(callOf(wanted, ['read-tree', treeId]));
    if (!read.ok) return read;
    const changed = await changedPaths(tree);
    if (!changed.ok) return changed;
    const now = await writeSnapshot(tree, changed.value, { indexFile: present });
    if (!now.ok) return now;
    const compared = await runGit(callOf(wanted, ['diff-tree', ...COMPARISON, now.value.treeId, treeId]));
    if (!compared.ok) return compared;
    const { gone, other } = sorted(splitNul(compared.value));
    await removeFiles(tree.dir, gone);
    if (other.length === 0) return success(true);
    const input = joinNul(other);
    const args = ['checkout-index', '--force', '--quiet', '-z', '--stdin'];
    const written = await runGit(callOf(wanted, args, { input, timeoutMs: CHECKOUT_TIMEOUT_MS }));
    return written.ok ? success(true) : written;
  } finally {
    await Promise.all([removeFolder(present), removeFolder(wanted.baseIndex)]);
  }
}

const COMPARISON = ['-r', '-z', '--no-renames', '--name-status'];
const DELETED = 'D';

/** git reports a letter and a path in turn. */
function sorted(fields: readonly Buffer[]): { gone: Buffer[]; other: Buffer[] } {
  const gone: Buffer[] = [];
  const other: Buffer[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1];
    if (path) (fields[at]?.toString('latin1') === DELETED ? gone : other).push(path);
  }
  return { gone, other };
}

/** Removes files, and the folders that they leave empty: git knows no empty folders. */
async function removeFiles(dir: string, paths: readonly Buffer[]): Promise<void> {
  for (let start = 0; start < paths.length; start += BATCH) {
    await Promise.all(
      paths.slice(start, start + BATCH).map((path) => rm(absolute(dir, path), { force: true })),
    );
  }
  const folders = new Set(paths.map((path) => dirname(path.toString('latin1'))));
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) await removeEmpty(dir, folder);
}

/** Upwards until a folder is not empty. `folder` is in latin1, so that each byte of a name survives. */
async function removeEmpty(dir: string, folder: string): Promise<void> {
  for (let path = folder; path !== '.'; path = dirname(path)) {
    try {
      await rmdir(absolute(dir, Buffer.from(path, 'latin1')));
    } catch {
      return;
    }
  }
}
