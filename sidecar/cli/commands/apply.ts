/** `apply`: merges the commit of a task, or applies its patch, in the repository of the current folder. */
import { isNotDone, taskResultSchema, type TaskResult } from '../../base/protocol/result.ts';
import { toPrintable } from '../../base/values/printable.ts';
import { applyPatch, hasCommit, mergeWork } from '../../workspace/merge-work.ts';
import { findEnclosingRepository } from '../preflight.ts';
import { CommandError, EXIT, createPreflightError } from '../exit-codes.ts';
import type { HubFlags } from '../hub-address.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import { lookUpTask } from '../task-lookup.ts';
import { createTerminal } from '../terminal.ts';
import type { Outcome } from '../../base/values/outcome.ts';

interface ApplyOptions extends CommandFlags, HubFlags {
  patch?: boolean;
  allowDirty?: boolean;
}

export async function applyCommand(taskName: string, options: ApplyOptions): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const { config } = await loadSettings(options);
  const repo = findEnclosingRepository(process.cwd());
  if (repo === undefined) {
    throw createPreflightError(
      'workspace_repo_missing',
      `${process.cwd()} is not a git repository. Change to a clone of the task's repository.`,
    );
  }
  const located = await lookUpTask(config, taskName, options);
  const taskId = 'local' in located ? located.local.taskId : located.remote.task_id;
  const parsed = taskResultSchema.safeParse(
    'local' in located ? located.local.historyRow?.result : located.remote.result,
  );
  if (!parsed.success)
    throw createNotAppliedError('The task has no result yet, or ended without one.', taskId);
  const { changes } = parsed.data;
  if (changes.files.length === 0)
    throw createNotAppliedError('The task changed no files: there is nothing to apply.', taskId);
  const { head_commit: commit, branch } = changes;
  const isMerge = !options.patch && commit != null && (await hasCommit(repo, commit));
  const target = { repo, allowDirty: options.allowDirty === true };
  const outcome = isMerge
    ? await mergeWork({ ...target, commit, branch: branch ?? commit })
    : await applyPatchTo(target, changes, taskId);
  if (!outcome.ok) {
    const { code, message } = outcome.failure;
    const lacksPermission = code === 'workspace_dirty' && !target.allowDirty;
    const advice = lacksPermission ? '\nCommit the edits, or use --allow-dirty.' : '';
    throw new CommandError(EXIT.failed, code, `${message}${advice}`);
  }
  const method = isMerge ? 'merge' : 'patch';
  if (terminal.json)
    return terminal.data({ task_id: taskId, how: method, repository: repo, files: changes.files });
  const action = isMerge ? 'Merged' : 'Applied the patch of';
  const verdict = isNotDone(parsed.data) ? 'not done' : parsed.data.verification_status;
  terminal.prose(
    `${action} ${toPrintable(taskId)} (${verdict}) in ${repo}${isMerge ? '' : '; nothing is committed yet'}`,
  );
  if (isMerge) terminal.prose(toPrintable(outcome.value).replace(/^/gmu, '  '), '  ');
}

function applyPatchTo(
  target: { repo: string; allowDirty: boolean },
  { patch, patch_omitted: omitted, branch }: TaskResult['changes'],
  taskId: string,
): Promise<Outcome<string>> {
  if (patch !== '') return applyPatch({ ...target, patch });
  const remedy = branch ? ` Fetch the branch ${toPrintable(branch)} from the task's repository.` : '';
  throw createNotAppliedError(
    `The result contains no patch (${toPrintable(omitted ?? 'the patch is empty')}).${remedy}`,
    taskId,
  );
}

const createNotAppliedError = (message: string, taskId: string): CommandError =>
  new CommandError(EXIT.failed, 'task_not_applied', `${message} (${toPrintable(taskId)})`);
