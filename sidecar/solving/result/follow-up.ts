/**
 * Builds the follow-up of a partial result: a payload that can be submitted unchanged, with the original goal, the completed and the
 * remaining work.
 */
import { removeCredentials } from '../../base/addresses/without-credentials.ts';
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
  /** How the run ended. */
  run: { termination: TerminationReason; detail?: string; iterations: number };
  changes: Changes;
  completed: readonly string[];
  remaining: readonly string[];
  /** Reasons why passing checks prove nothing. */
  notAccepted: readonly string[];
  fetchableCommit?: string;
}

/** The public hub refuses longer descriptions. */
const MAX_DESCRIPTION_CHARS = 10_000;
const MAX_GOAL_CHARS = 6_000;
const MAX_LIST_CHARS = 1_500;
const MAX_WHY_CHARS = 300;

/** Builds the payload of the follow-up. */
export function buildFollowUp(input: FollowUpInput): FollowUp {
  const { task } = input;
  const goal =
    typeof task.metadata.follow_up_goal === 'string' ? task.metadata.follow_up_goal : task.description;
  const origin = originOf(input);
  return {
    description: describe(input, goal, origin.note),
    repo: task.repo === undefined ? undefined : removeCredentials(task.repo),
    branch: origin.branch ?? task.branch,
    base_ref: origin.baseRef,
    subfolder: task.subfolder,
    ...carriedFields(task),
    metadata: {
      ...ownMetadata(task.metadata),
      follow_up_of: task.task_id,
      follow_up_depth: depthOf(task) + 1,
      follow_up_goal: goal,
      // The public hub stores `branch` and `metadata`, and drops `base_ref`.
      ...(task.repo !== undefined && origin.baseRef !== undefined && { follow_up_from: origin.baseRef }),
      ...(origin.patch !== undefined && { follow_up_patch: origin.patch }),
      ...(origin.needs !== undefined && { follow_up_needs: origin.needs }),
      ...firstBase(input, origin),
      ...(input.notAccepted.length > 0 && { follow_up_not_accepted: [...input.notAccepted] }),
    },
  };
}

/** Returns 0 for a submitted task, 1 for its follow-up. */
function depthOf(task: Task): number {
  const depth = task.metadata.follow_up_depth;
  return typeof depth === 'number' && Number.isInteger(depth) && depth > 0 ? depth : 0;
}

/** Returns the metadata without fields of an earlier follow-up. */
const ownMetadata = (metadata: Task['metadata']): Task['metadata'] =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith('follow_up_')));

interface Origin {
  baseRef?: string;
  /** Branch of the earlier work. */
  branch?: string | null | undefined;
  patch?: string;
  /** The condition under which another worker can continue. */
  needs?: string;
  note?: string;
}

function originOf({ task, changes, fetchableCommit }: FollowUpInput): Origin {
  const { base_commit, head_commit, branch, files, patch } = changes;
  if (fetchableCommit !== undefined) return { baseRef: fetchableCommit, branch };
  const baseRef = base_commit ?? task.base_ref;
  if (files.length === 0) return { baseRef };
  if (patch !== '') return { baseRef, branch, patch };
  if (head_commit) {
    const note = `The earlier work is commit ${head_commit}, only on the worker that made it${omission(changes)}.`;
    const needs = `workspace.push "branch" on the worker that has commit ${head_commit}, or that worker itself`;
    return { baseRef: head_commit, branch, note, needs };
  }
  return { baseRef, note: `The earlier work could not be carried over${omission(changes)}.` };
}

/** Names the commit against which the whole chain is verified, if the next task begins at a later one. */
const firstBase = ({ changes }: FollowUpInput, { baseRef }: Origin): Task['metadata'] =>
  changes.base_commit && changes.base_commit !== baseRef ? { follow_up_base: changes.base_commit } : {};

const omission = ({ patch_omitted: reason }: Changes): string => (reason === undefined ? '' : ` (${reason})`);

const carriedFields = (task: Task): Partial<FollowUp> => ({
  // The public hub accepts hints only as objects and criteria only as strings.
  file_hints: unlessEmpty(task.file_hints.map((hint) => (typeof hint === 'string' ? { path: hint } : hint))),
  success_criteria: unlessEmpty(task.success_criteria.map(criterionTextOf)),
  verification_steps: unlessEmpty(task.verification_steps),
  complexity: task.complexity,
  // Field of the public hub.
  complexity_tier: task.complexity?.effective_tier,
  agentic: task.agentic,
  workflow: task.workflow,
  skip_verification: task.skip_verification || undefined,
  may_change_checks: task.may_change_checks || undefined,
  budget: task.budget,
  max_verification_retries: task.max_verification_retries,
  verification_timeout_ms: task.verification_timeout_ms,
});

const unlessEmpty = <T>(list: T[]): T[] | undefined => (list.length === 0 ? undefined : list);

function describe(
  { task, run, completed, remaining, notAccepted, changes }: FollowUpInput,
  goal: string,
  note?: string,
): string {
  const files = changes.files.map(({ path, status }) => `${path} (${status})`);
  const why = run.detail === undefined ? '' : `: ${shorten(run.detail, MAX_WHY_CHARS)}`;
  const parts = [
    `Go on with a task that was left unfinished (${describeTermination(run.termination)}; ${run.iterations} iterations${why}).`,
    `The task:\n${shorten(goal, MAX_GOAL_CHARS)}`,
    list(
      'What remains',
      remaining.length > 0 ? remaining : ['Finish the task and check that it is complete.'],
    ),
    list('What was not accepted', notAccepted),
    list('Done already, keep it working', completed),
    list('Files changed so far', files),
    list('It is complete when', task.success_criteria.map(criterionTextOf)),
    note,
  ];
  return shorten(parts.filter(Boolean).join('\n\n'), MAX_DESCRIPTION_CHARS);
}

function list(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines) {
    chars += line.length;
    if (chars > MAX_LIST_CHARS && shown.length > 0) break;
    shown.push(`- ${shorten(line, MAX_LIST_CHARS)}`);
  }
  const more = lines.length > shown.length ? [`- … and ${lines.length - shown.length} more`] : [];
  return `${title}:\n${[...shown, ...more].join('\n')}`;
}
