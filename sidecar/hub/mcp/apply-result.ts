/** The tool that merges the work of a task into the caller's repository, or returns the patch. */
import * as z from 'zod';
import type { SecretMasker } from '../../base/observability/secrets.ts';
import type { TaskResult } from '../../base/protocol/result.ts';
import { toPrintable } from '../../base/values/printable.ts';
import { mergeWork } from '../../workspace/merge-work.ts';
import { readResult } from './get-result.ts';
import { resolveRepo } from './submit-task.ts';
import { taskIdSchema } from './task-tools.ts';
import {
  createFailedAnswer,
  createAnswer,
  shortenTaskText,
  shortenTaskLine,
  declareTool,
  type ToolAnswer,
} from './tool.ts';

const MAX_PATCH_CHARS = 400_000;
const MAX_GIT_CHARS = 4_000;

export const applyResultTool = declareTool({
  name: 'apply_result',
  description:
    'Apply the changes of an ended task. "merge": git merges them into the repository on this machine; a conflict changes nothing. "patch": returns the whole patch for `git apply`.',
  input: z.strictObject({
    task_id: taskIdSchema,
    how: z.enum(['merge', 'patch']).describe('Over HTTP, only "patch" is possible'),
    into: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Repository to merge into; default: the repository of the task'),
    allow_dirty: z.boolean().default(false).describe('Merge even if tracked files have uncommitted edits'),
  }),
  hints: { readOnlyHint: false, destructiveHint: true },
  async run({ task_id: id, how, into, allow_dirty: allowDirty }, { hub, host: { folder, masker }, signal }) {
    const task = await hub.task(id);
    const result = readResult(task);
    if (!result.ok) return createFailedAnswer(result.failure);
    const { changes } = result.value;
    if (changes.files.length === 0)
      return createFailedAnswer('The task changed no files: there is nothing to apply.');
    if (how === 'patch') return answerWithPatch(changes, masker);
    if (folder === undefined) {
      const branchHint = branchHintOf(changes);
      return createFailedAnswer(
        `Over HTTP, nothing can be merged, since your repository is not on the hub’s machine. Use "patch"${branchHint === '' ? '' : `, or ${branchHint}`}.`,
      );
    }
    const repo = into ?? task.repo ?? undefined;
    if (repo === undefined) return createFailedAnswer('The task has no repository: name one with `into`.');
    const { head_commit: commit, branch } = changes;
    if (!commit) return createFailedAnswer('The result has no commit to merge. Use "patch".');
    const mergeOutcome = await mergeWork({
      repo: resolveRepo(repo, folder),
      commit,
      branch: branch ?? commit,
      allowDirty,
      signal,
    });
    return mergeOutcome.ok
      ? createAnswer(
          `${shortenTaskText(mergeOutcome.value, MAX_GIT_CHARS)}\nstatus of the task: ${result.value.verification_status}`,
        )
      : createFailedAnswer(
          `${shortenTaskText(mergeOutcome.failure.message, MAX_GIT_CHARS)}\nYou can use "patch" instead.`,
        );
  },
});

function answerWithPatch(changes: TaskResult['changes'], masker: SecretMasker): ToolAnswer {
  const { patch, patch_omitted: omitted, base_commit: base } = changes;
  const isMasked = changes.patch_masked || masker.mask(patch) !== patch;
  if (patch === '' || isMasked || patch.length > MAX_PATCH_CHARS) {
    const maskedReason = isMasked ? 'its secrets are masked, so it cannot be applied' : undefined;
    const reason =
      maskedReason ?? (patch === '' ? (omitted ?? 'it is empty') : 'it is too large for a message');
    const branchHint = branchHintOf(changes);
    return createFailedAnswer(
      `The patch is not available (${shortenTaskLine(reason)}).${branchHint === '' ? '' : ` Instead, ${branchHint}.`}`,
    );
  }
  const notes = [
    `The next part of this answer is the patch${base ? ` against ${shortenTaskLine(base)}` : ''}: write it to a file and run \`git apply --3way FILE\`.`,
    ...(toPrintable(patch) === patch
      ? []
      : ['The patch contains invisible characters. Check them first: get_result spells them out.']),
  ];
  return createAnswer(notes.join('\n'), patch);
}

const branchHintOf = ({ branch }: TaskResult['changes']): string =>
  branch ? `fetch the branch ${shortenTaskLine(branch)} from the task’s repository` : '';
