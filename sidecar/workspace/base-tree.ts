/**
 * Reads the base of a workspace, to judge its checks: paths that differ from the base, its files and their content. Everything is read from
 * the base index, which no task can write.
 */
import { isUtf8 } from 'node:buffer';
import { joinNul, runGit, splitNul } from './git.ts';
import { buildGitCall, listChangedPaths, type WorkTree } from './work-tree.ts';
import { type Outcome, success } from '../base/values/outcome.ts';

/** Maximum size of a file that is read. Larger files do not define how a check starts its program. */
const MAX_READ_BYTES = 256 * 1024;
const MAX_LISTED_BYTES = 64 * 1024 * 1024;

export interface BaseTree {
  /** Returns paths that were changed, added or removed since the base, without ignored files. */
  listChangedPaths(): Promise<Outcome<string[]>>;
  /** Returns all paths of the base. */
  listPaths(): Promise<Outcome<string[]>>;
  /**
   * Returns the base's content of `paths` by path, without large files and files that are not UTF-8. Files beyond a limit for all files
   * together are missing, too.
   */
  readTexts(paths: readonly string[]): Promise<Outcome<Map<string, string>>>;
}

/** Marks a decoded path whose bytes are not UTF-8. No real path contains this character. */
const RAW_BYTES_MARK = '\0';
export const decodePath = (path: Buffer): string =>
  isUtf8(path) ? path.toString('utf8') : RAW_BYTES_MARK + path.toString('latin1');
const encodePath = (text: string): Buffer =>
  text.startsWith(RAW_BYTES_MARK) ? Buffer.from(text.slice(1), 'latin1') : Buffer.from(text, 'utf8');

export function createBaseTree(tree: WorkTree): BaseTree {
  const listPaths = async (): Promise<Outcome<string[]>> => {
    const listed = await runGit(buildGitCall(tree, ['ls-files', '-z'], { maxOutputBytes: MAX_LISTED_BYTES }));
    return listed.ok ? success(splitNul(listed.value).map(decodePath)) : listed;
  };
  return {
    listChangedPaths: async () => {
      const changed = await listChangedPaths(tree);
      return changed.ok ? success(changed.value.map(({ path }) => decodePath(path))) : changed;
    },
    listPaths,
    readTexts: (paths) => readBaseTexts(tree, paths),
  };
}

const MAX_TOTAL_FILES = 20_000;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

async function readBaseTexts(
  tree: WorkTree,
  paths: readonly string[],
): Promise<Outcome<Map<string, string>>> {
  const readablePaths = paths
    .filter((path) => !path.includes('\n') && !path.startsWith(RAW_BYTES_MARK))
    .slice(0, MAX_TOTAL_FILES);
  const input = (names: readonly string[]): string => names.map((path) => `:${path}\n`).join('');
  const sizes = await runGit(
    buildGitCall(tree, ['cat-file', '--batch-check=%(objecttype) %(objectsize)'], {
      input: input(readablePaths),
    }),
  );
  if (!sizes.ok) return sizes;
  let remainingBytes = MAX_TOTAL_BYTES;
  const lines = sizes.value.toString('utf8').split('\n');
  const smallPaths = readablePaths.filter((_, index) => {
    const [, size] = /^blob (\d+)$/.exec(lines[index] ?? '') ?? [];
    return size !== undefined && Number(size) <= MAX_READ_BYTES && (remainingBytes -= Number(size)) >= 0;
  });
  const contents = await runGit(
    buildGitCall(tree, ['cat-file', '--batch=%(objectsize)'], {
      input: input(smallPaths),
      maxOutputBytes: 2 * MAX_TOTAL_BYTES,
    }),
  );
  if (!contents.ok) return contents;
  const texts = new Map<string, string>();
  let position = 0;
  for (const path of smallPaths) {
    const end = contents.value.indexOf(10, position);
    const size = Number(contents.value.subarray(position, end).toString('latin1'));
    const content = contents.value.subarray(end + 1, end + 1 + size);
    position = end + 2 + size;
    if (!content.includes(0)) texts.set(path, content.toString('utf8'));
  }
  return success(texts);
}

/**
 * Restores paths of an index to their state in the base, and removes paths that the base does not have. Returns the tree. Changes only the
 * index and no files, so that no link of a task is followed.
 */
export async function restoreBasePaths(
  tree: WorkTree,
  indexFile: string,
  paths: readonly string[],
): Promise<Outcome<string>> {
  const listing = { maxOutputBytes: MAX_LISTED_BYTES };
  const staged = await runGit(buildGitCall(tree, ['ls-files', '-z', '--stage'], listing));
  if (!staged.ok) return staged;
  const pathSet = new Set(paths);
  const base = new Map<string, Buffer>();
  let idChars = 40;
  for (const entry of splitNul(staged.value)) {
    const tab = entry.indexOf(9);
    idChars = entry.subarray(0, tab).toString('latin1').split(' ', 2)[1]?.length ?? idChars;
    const path = decodePath(entry.subarray(tab + 1));
    if (pathSet.has(path)) base.set(path, entry);
  }
  const removals = [...pathSet]
    .filter((path) => !base.has(path))
    .map((path) => Buffer.concat([Buffer.from(`0 ${'0'.repeat(idChars)}\t`), encodePath(path)]));
  const updated = await runGit({
    gitDir: tree.gitDir,
    indexFile,
    args: ['update-index', '--replace', '-z', '--index-info'],
    input: joinNul([...removals, ...base.values()]),
  });
  if (!updated.ok) return updated;
  const treeId = await runGit({ gitDir: tree.gitDir, indexFile, args: ['write-tree'] });
  return treeId.ok ? success(treeId.value.toString('utf8').trim()) : treeId;
}
