/** The tool that merges the work of a task into the caller's repository, or returns the patch. */
import * as z from 'zod';
import type { SecretMasker } from '../../base/observability/secrets.ts';
import type { TaskResult } from '../../base/protocol/result.ts';
import { toPrintable } from '../../base/values/printable.ts';
import { mergeWork } from '../../workspace/merge-work.ts';
import { endedResult } from './get-result.ts';
import { absoluteRepo } from './submit-task.ts';
import { taskId } from './task-tools.ts';
import { failed, answerOf, shown, shownLine, tool, type Answer } from './tool.ts';

const MAX_PATCH_CHARS = 400_000;
const MAX_GIT_CHARS = 4_000;

export const applyResult = tool({
  name: 'apply_result',
  description:
    'Take the work of an ended task. "merge": git merges it into the repository on this machine; a conflict changes nothing. "patch": returns the whole patch for `git apply`.',
  input: z.strictObject({
    task_id: taskId,
    how: z.enum(['merge', 'patch']).describe('Over HTTP only "patch"'),
    into: z.string().min(1).max(4096).optional().describe('Repository to merge into; default: the task’s'),
    allow_dirty: z.boolean().default(false).describe('Merge even if tracked files have uncommitted edits'),
  }),
  hints: { readOnlyHint: false, destructiveHint: true },
  async run({ task_id: id, how, into, allow_dirty: allowDirty }, { hub, host: { folder, masker }, signal }) {
    const task = await hub.task(id);
    const result = endedResult(task);
    if (!result.ok) return failed(result.failure);
    const { changes } = result.value;
    if (changes.files.length === 0) return failed('The task changed no files: there is nothing to apply.');
    if (how === 'patch') return patchOf(changes, masker);
    if (folder === undefined) {
      return failed(
        `Over HTTP nothing is merged, since your repository is not on this machine. Use "patch"${branchHint(changes)}.`,
      );
    }
    const repo = into ?? task.repo ?? undefined;
    if (repo === undefined) return failed('The task has no repository: name one with `into`.');
    const { head_commit: commit, branch } = changes;
    if (!commit) return failed('The result has no commit to merge. Use "patch".');
    const merged = await mergeWork({
      repo: absoluteRepo(repo, folder),
      commit,
      branch: branch ?? commit,
      allowDirty,
      signal,
    });
    return merged.ok
      ? answerOf(
          `${shown(merged.value, MAX_GIT_CHARS)}\nstatus of the task: ${result.value.verification_status}`,
        )
      : failed(`${shown(merged.failure.message, MAX_GIT_CHARS)}\nYou can use "patch" instead.`);
  },
});

function patchOf(changes: TaskResult['changes'], masker: SecretMasker): Answer {
  const { patch, patch_omitted: omitted, base_commit: base } = changes;
  const isMasked = changes.patch_masked || masker.mask(patch) !== patch;
  if (patch === '' || isMasked || patch.length > MAX_PATCH_CHARS) {
    const masked = isMasked ? 'secrets in it are masked, so it does not apply' : undefined;
    const why = masked ?? (patch === '' ? (omitted ?? 'it is empty') : 'it is too large for a message');
    return failed(`The patch is not available (${shownLine(why)})${branchHint(changes)}.`);
  }
  const notes = [
    `The next part is the patch${base ? ` against ${shownLine(base)}` : ''}: write it to a file and run \`git apply --3way FILE\`.`,
    ...(toPrintable(patch) === patch
      ? []
      : ['It contains invisible characters. Check them first: get_result spells them out.']),
  ];
  return answerOf(notes.join('\n'), patch);
}

const branchHint = ({ branch }: TaskResult['changes']): string =>
  branch ? `, or fetch the branch ${shownLine(branch)} from the task’s repository` : '';
