/**
 * Reads the two trees that a proof compares: paths and texts of the base, and the files that the task changed. They are read while the
 * checks run.
 */
import type { TaskRun } from '../../task/task-run.ts';
import { readText } from '../../task/tree-files.ts';
import type { Outcome } from '../../../base/values/outcome.ts';

export interface ComparedTrees {
  /** Paths of the base. */
  paths: ReadonlySet<string>;
  changed: readonly string[];
  /** Texts of the base, and of the changed files after the task. */
  before: ReadonlyMap<string, string>;
  after: ReadonlyMap<string, string>;
}

const MAX_CHANGED_TEXTS = 2_000;

/** Reads the base and the changed files of a task for a proof. */
export async function readTrees(run: TaskRun): Promise<Outcome<ComparedTrees>> {
  const { base } = run.workspace;
  const [changed, paths] = await Promise.all([base.listChangedPaths(), base.listPaths()]);
  if (!changed.ok) return changed;
  if (!paths.ok) return paths;
  const before = await base.readTexts(paths.value);
  if (!before.ok) return before;
  const after = new Map<string, string>();
  for (const path of changed.value.slice(0, MAX_CHANGED_TEXTS)) {
    const text = await readText(run, path);
    if (text !== undefined) after.set(path, text);
  }
  const value = { paths: new Set(paths.value), changed: changed.value, before: before.value, after };
  return { ok: true, value };
}
