/**
 * Merges the commit of a finished task into a checkout of the user, or applies its patch, as a user would, but without hooks and filters.
 * Uncommitted edits are not modified, and a failed merge is undone.
 */
import { runGitText, disablePrograms } from './git.ts';
import { resolveSource } from './repository-source.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';

const MERGE_TIMEOUT_MS = 120_000;
const MAX_NAMED_FILES = 20;

interface MergeTarget {
  /** Folder of the repository. */
  repo: string;
  /** Whether to continue although tracked files have edits. git still refuses if the work would modify one of these files. */
  allowDirty: boolean;
  signal?: AbortSignal;
}

export interface MergeOptions extends MergeTarget {
  /** Full commit hash. */
  commit: string;
  /** Name of the commit in the message of the merge. */
  branch: string;
}

/** Merges the commit. Returns git's message. Never rejects. */
export async function mergeWork({ commit, branch, ...target }: MergeOptions): Promise<Outcome<string>> {
  const checkout = await openCheckout(target);
  if (!checkout.ok) return checkout;
  const { git, path } = checkout.value;
  if (!/^[0-9a-f]{40,64}$/u.test(commit) || !(await git('cat-file', '-e', `${commit}^{commit}`)).ok) {
    return failure('workspace_ref_missing', `The task's commit ${commit.slice(0, 64)} is not in ${path}`);
  }
  if ((await git('merge-base', '--is-ancestor', commit, 'HEAD')).ok)
    return success('The commit of the task is already merged.');
  const ready = await checkReady(git, path, { commit, allowDirty: target.allowDirty });
  if (!ready.ok) return ready;
  const merged = await git('merge', '--no-edit', '-m', `Merge branch '${branch}'`, commit);
  if (merged.ok) return merged;
  const conflicts = await git('diff', '--name-only', '--diff-filter=U');
  // `checkReady` has excluded an earlier merge, so this abort concerns only the failed one. The abort fails if git refused the merge; in
  // that case there is nothing to undo.
  await git('merge', '--abort');
  const where =
    conflicts.ok && conflicts.value !== '' ? `. Conflicts in:\n${formatNames(conflicts.value)}` : '';
  return failure(
    'workspace_merge_failed',
    `${merged.failure.message}${where}\nNothing was changed in ${path}.`,
  );
}

/** Applies a patch to the checked-out files and their index, without a commit. Never rejects. */
export async function applyPatch({
  patch,
  ...target
}: MergeTarget & { patch: string }): Promise<Outcome<string>> {
  const checkout = await openCheckout(target);
  if (!checkout.ok) return checkout;
  const { git, gitWithInput, path } = checkout.value;
  const edited = await git('status', '--porcelain', '--untracked-files=no');
  if (!edited.ok) return edited;
  if (edited.value !== '' && !target.allowDirty) return createDirtyFailure(path, edited.value);
  // The patch is tested first, since a patch with conflicts would leave conflict markers in the files.
  const fits = await gitWithInput(patch, 'apply', '--check', '--index');
  if (fits.ok) return gitWithInput(patch, 'apply', '--index');
  return failure('workspace_merge_failed', `${fits.failure.message}\nNothing was changed in ${path}.`);
}

/** Returns whether the commit is in the repository. */
export async function hasCommit(repo: string, commit: string): Promise<boolean> {
  const checkout = await openCheckout({ repo, allowDirty: false });
  return checkout.ok && (await checkout.value.git('cat-file', '-e', `${commit}^{commit}`)).ok;
}

interface Checkout {
  path: string;
  git: GitRunner;
  /** Runs git with a text on stdin. */
  gitWithInput: (input: string, ...args: string[]) => Promise<Outcome<string>>;
}

async function openCheckout({ repo, signal }: MergeTarget): Promise<Outcome<Checkout>> {
  const source = await resolveSource(repo);
  if (!source.ok) return source;
  const { value: repository } = source;
  if (repository.kind === 'remote' || repository.workTree === undefined) {
    return failure('workspace_no_work_tree', `${repo} is a bare repository: nothing to merge into`);
  }
  const { gitDir, workTree, path } = repository;
  const call = { gitDir, workTree, usesOperatorConfig: true, timeoutMs: MERGE_TIMEOUT_MS, signal };
  const config = await disablePrograms(call);
  const gitWithInput: Checkout['gitWithInput'] = (input, ...args) =>
    runGitText({ ...call, config, input, args });
  return success({ path, gitWithInput, git: (...args) => gitWithInput('', ...args) });
}

type GitRunner = (...args: string[]) => Promise<Outcome<string>>;

/** Checks that a merge can begin and that a failed merge can be undone without loss. */
async function checkReady(
  git: GitRunner,
  path: string,
  { commit, allowDirty }: Pick<MergeOptions, 'commit' | 'allowDirty'>,
): Promise<Outcome<true>> {
  if ((await git('rev-parse', '--quiet', '--verify', 'MERGE_HEAD')).ok) {
    return failure(
      'workspace_merge_failed',
      `Another merge is in progress in ${path}. Finish or abort it first`,
    );
  }
  const edited = await git('status', '--porcelain', '--untracked-files=no');
  if (!edited.ok) return edited;
  if (edited.value === '') return success(true);
  if (!allowDirty) return createDirtyFailure(path, edited.value);
  // If there are edits, a merge with conflicts cannot always be undone. It is therefore tested without changing files.
  const merged = await git('merge-tree', '--write-tree', 'HEAD', commit);
  if (merged.ok) return success(true);
  return failure(
    'workspace_merge_failed',
    `The merge has conflicts, or this git is older than 2.38. Commit the edits in ${path} first`,
  );
}

const createDirtyFailure = (path: string, edited: string) =>
  failure('workspace_dirty', `${path} has edits that are not committed:\n${formatNames(edited)}`);

function formatNames(lines: string): string {
  const lineList = lines.split('\n');
  const omittedCount = lineList.length - MAX_NAMED_FILES;
  return [
    ...lineList.slice(0, MAX_NAMED_FILES),
    ...(omittedCount > 0 ? [`… ${omittedCount} more`] : []),
  ].join('\n');
}
