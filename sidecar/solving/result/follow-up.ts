/**
 * Builds the follow-up of a partial result: a payload that can be submitted unchanged. It contains the original goal, the completed work
 * and the remaining work.
 */
import { removeCredentials } from '../../base/addresses/credentials.ts';
import {
  describeTermination,
  type Changes,
  type FollowUp,
  type TerminationReason,
} from '../../base/protocol/result.ts';
import { shorten } from '../../base/values/shortening.ts';
import { criterionTextOf, type Task } from '../../base/protocol/task.ts';

export interface FollowUpInput {
  task: Task;
  /** Ending of the run. */
  run: { termination: TerminationReason; detail?: string; iterations: number };
  changes: Changes;
  completed: readonly string[];
  remaining: readonly string[];
  /** Reasons why passing checks do not prove the work. */
  notAccepted: readonly string[];
  fetchableCommit?: string;
}

/** Maximum length of a description on the public hub. */
const MAX_DESCRIPTION_CHARS = 10_000;
const MAX_GOAL_CHARS = 6_000;
const MAX_LIST_CHARS = 1_500;
const MAX_REASON_CHARS = 300;

/** Builds the payload of the follow-up. */
export function buildFollowUp(input: FollowUpInput): FollowUp {
  const { task, changes, notAccepted } = input;
  const { metadata } = task;
  const goal = typeof metadata.follow_up_goal === 'string' ? metadata.follow_up_goal : task.description;
  const { branch, baseRef, patch, requirement, note } = findOrigin(input);
  const depth = Number.isInteger(metadata.follow_up_depth) ? Number(metadata.follow_up_depth) : 0;
  const first = changes.base_commit;
  return {
    description: formatDescription(input, goal, note),
    repo: task.repo === undefined ? undefined : removeCredentials(task.repo),
    branch: branch ?? task.branch,
    base_ref: baseRef,
    subfolder: task.subfolder,
    ...copyTaskFields(task),
    metadata: {
      ...Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith('follow_up_'))),
      follow_up_of: task.task_id,
      follow_up_depth: Math.max(0, depth) + 1,
      follow_up_goal: goal,
      // The public hub stores `branch` and `metadata`, and drops `base_ref`.
      ...(task.repo !== undefined && baseRef !== undefined && { follow_up_from: baseRef }),
      ...(patch !== undefined && { follow_up_patch: patch }),
      ...(requirement !== undefined && { follow_up_needs: requirement }),
      // The first base of the chain of follow-ups. The whole chain is verified against it.
      ...(first && first !== baseRef && { follow_up_base: first }),
      ...(notAccepted.length > 0 && { follow_up_not_accepted: [...notAccepted] }),
    },
  };
}

interface FollowUpOrigin {
  baseRef?: string;
  /** Branch of the earlier work. */
  branch?: string | null | undefined;
  patch?: string;
  /** Condition under which another worker can continue. */
  requirement?: string;
  note?: string;
}

function findOrigin({ task, changes, fetchableCommit }: FollowUpInput): FollowUpOrigin {
  const { base_commit, head_commit, branch, files, patch, patch_omitted: reason } = changes;
  if (fetchableCommit !== undefined) return { baseRef: fetchableCommit, branch };
  const baseRef = base_commit ?? task.base_ref;
  if (files.length === 0) return { baseRef };
  if (patch !== '') return { baseRef, branch, patch };
  const omission = reason === undefined ? '' : ` (${reason})`;
  if (!head_commit)
    return { baseRef, note: `The changes of the previous task could not be included${omission}.` };
  const note = `The changes of the previous task are in commit ${head_commit}, which exists only on the worker that made it${omission}.`;
  const needs = `run this task on the worker that has commit ${head_commit}, or set workspace.push to "branch" on that worker`;
  return { baseRef: head_commit, branch, note, requirement: needs };
}

const copyTaskFields = (task: Task): Partial<FollowUp> => ({
  // The public hub accepts hints only as objects and criteria only as strings.
  file_hints: omitEmpty(task.file_hints.map((hint) => (typeof hint === 'string' ? { path: hint } : hint))),
  success_criteria: omitEmpty(task.success_criteria.map(criterionTextOf)),
  verification_steps: omitEmpty(task.verification_steps),
  complexity: task.complexity,
  // Only the public hub uses this field.
  complexity_tier: task.complexity?.effective_tier,
  agentic: task.agentic,
  workflow: task.workflow,
  skip_verification: task.skip_verification || undefined,
  may_change_checks: task.may_change_checks || undefined,
  budget: task.budget,
  max_verification_retries: task.max_verification_retries,
  verification_timeout_ms: task.verification_timeout_ms,
});

const omitEmpty = <T>(list: T[]): T[] | undefined => (list.length === 0 ? undefined : list);

function formatDescription(
  { task, run, completed, remaining, notAccepted, changes }: FollowUpInput,
  goal: string,
  note?: string,
): string {
  const reason = run.detail === undefined ? '' : `: ${shorten(run.detail, MAX_REASON_CHARS)}`;
  const rest = remaining.length > 0 ? remaining : ['Finish the task and check that it is complete.'];
  const files = changes.files.map(({ path, status }) => `${path} (${status})`);
  const parts = [
    `Continue a task that was left unfinished (${describeTermination(run.termination)}; ${run.iterations} iterations${reason}).`,
    `The task:\n${shorten(goal, MAX_GOAL_CHARS)}`,
    formatList('What remains', rest),
    formatList('Why the result was not accepted', notAccepted),
    formatList('Already done; must keep working', completed),
    formatList('Files changed so far', files),
    formatList('The task is complete when', task.success_criteria.map(criterionTextOf)),
    note,
  ];
  return shorten(parts.filter(Boolean).join('\n\n'), MAX_DESCRIPTION_CHARS);
}

function formatList(title: string, lines: readonly string[]): string {
  let leftChars = MAX_LIST_CHARS;
  const shown = lines.filter(({ length }, at) => (leftChars -= length) >= 0 || at === 0);
  const more = lines.length > shown.length ? [`- … and ${lines.length - shown.length} more`] : [];
  const items = shown.map((line) => `- ${shorten(line, MAX_LIST_CHARS)}`);
  return lines.length === 0 ? '' : [`${title}:`, ...items, ...more].join('\n');
}
