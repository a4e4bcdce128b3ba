/** A draft in a tree of its own, and what the checks say of it there. The same change is checked once. */
import { checkTree } from '../checking/check-tree.ts';
import type { TaskRun } from '../task/task-run.ts';
import { sameChangeKey } from './choose.ts';
import type { Draft } from './draft.ts';
import { inFork, writeFiles } from './draft-tree.ts';

/** The draft with its report, or with why there is none. Rejects only for a failing disk. */
export async function tryDraft(run: TaskRun, earlier: readonly Draft[], draft: Draft): Promise<Draft> {
  if (draft.rejected !== undefined) return draft;
  const key = sameChangeKey(draft);
  const same = earlier.find((other) => other.report && sameChangeKey(other) === key);
  if (same?.report) return { ...draft, sameAs: same.number, report: same.report };
  const checked = await inFork(run, async (fork) => {
    const written = await writeFiles(fork, draft.files);
    return written.ok ? checkTree(fork, `draft-check-${draft.number}`) : written.failure.message;
  });
  if (!checked.ok) return { ...draft, rejected: checked.failure.message };
  if (typeof checked.value === 'string') return { ...draft, rejected: checked.value };
  return { ...draft, ...(checked.value && { report: checked.value }) };
}
