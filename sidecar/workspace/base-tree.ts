/**
 * The base of a workspace, for judging its checks: which paths differ from it, which files it has and what is in them.
 * All of it is read from the base index, which no task can write.
 */
import type { Outcome } from '../ports.ts';
import { runGit } from './git.ts';
import { callOf, changedPaths, splitNul, type WorkTree } from './work-tree.ts';
import { success } from './workspace-error.ts';

/** Files that are larger say nothing that a check's program is started by. */
const MAX_READ_BYTES = 256 * 1024;
const MAX_LISTED_BYTES = 64 * 1024 * 1024;

export interface BaseTree {
  /** Paths that were changed, added or removed since the base; ignored files are no part of it. */
  changedPaths(): Promise<Outcome<string[]>>;
  /** All paths of the base. */
  files(): Promise<Outcome<string[]>>;
  /** The base's text of a file; undefined where there is none, or none that is short. */
  read(path: string): Promise<string | undefined>;
}

export function baseTree(tree: WorkTree): BaseTree {
  const files = async (): Promise<Outcome<string[]>> => {
    const listed = await runGit(callOf(tree, ['ls-files', '-z'], { maxOutputBytes: MAX_LISTED_BYTES }));
    return listed.ok ? success(splitNul(listed.value).map((path) => path.toString('utf8'))) : listed;
  };
  return {
    changedPaths: async () => {
      const changed = await changedPaths(tree);
      return changed.ok ? success(changed.value.map(({ path }) => path.toString('utf8'))) : changed;
    },
    files,
    read: async (path) => {
      const text = await runGit(
        callOf(tree, ['cat-file', 'blob', `:${path}`], { maxOutputBytes: MAX_READ_BYTES }),
      );
      return text.ok ? text.value.toString('utf8') : undefined;
    },
  };
}

/**
 * Gives paths of an index the state that they have in the base: a path that the base does not have is removed. Answers
 * the tree. Done in the index and not in the files, so that no link that a task made is followed.
 */
export async function restorePaths(
  tree: WorkTree,
  indexFile: string,
  paths: readonly string[],
): Promise<Outcome<string>> {
  const listing = { maxOutputBytes: MAX_LISTED_BYTES };
  const staged = await runGit(callOf(tree, ['ls-files', '-z', '--stage'], listing));
  if (!staged.ok) return staged;
  const wanted = new Set(paths);
  const base = new Map<string, string>();
  let idChars = 40;
  for (const entry of splitNul(staged.value)) {
    const line = entry.toString('utf8');
    idChars = line.split(' ', 2)[1]?.length ?? idChars;
    const path = line.slice(line.indexOf('\t') + 1);
    if (wanted.has(path)) base.set(path, line);
  }
  const removed = [...wanted]
    .filter((path) => !base.has(path))
    .map((path) => `0 ${'0'.repeat(idChars)}\t${path}`);
  const updated = await runGit({
    gitDir: tree.gitDir,
    indexFile,
    args: ['update-index', '--replace', '-z', '--index-info'],
    input: [...removed, ...base.values()].map((line) => `${line}\0`).join(''),
  });
  if (!updated.ok) return updated;
  const written = await runGit({ gitDir: tree.gitDir, indexFile, args: ['write-tree'] });
  return written.ok ? success(written.value.toString('utf8').trim()) : written;
}
