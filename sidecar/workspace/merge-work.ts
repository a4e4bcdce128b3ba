/**
 * Merges the commit of a finished task into what a person has checked out, as they would by hand, but without hooks and filters.
 * Edits that are not committed are left alone, and a merge that does not go is taken back.
 */
import type { Outcome } from '../ports.ts';
import { runGitText, type GitCall } from './git.ts';
import { resolveSource } from './repository-source.ts';
import { failure, success } from './workspace-error.ts';

const MERGE_TIMEOUT_MS = 120_000;
const MAX_NAMED_FILES = 20;

export interface Merge {
  /** Folder of the repository. */
  repo: string;
  /** Whole id of the commit. */
  commit: string;
  /** The commit's name in the merge's message. */
  branch: string;
  /** Merge although tracked files have edits; git still refuses where the merge would touch one of them. */
  allowDirty: boolean;
  signal?: AbortSignal;
}

/** Answers what git says of the merge. Never rejects. */
export async function mergeWork({
  repo,
  commit,
  branch,
  allowDirty,
  signal,
}: Merge): Promise<Outcome<string>> {
  const source = await resolveSource(repo);
  if (!source.ok) return source;
  const { value: found } = source;
  if (found.kind === 'remote' || found.workTree === undefined) {
    return failure('workspace_no_work_tree', `${repo} is a bare repository: nothing to merge into`);
  }
  const { gitDir, workTree, path } = found;
  const call = { gitDir, workTree, operatorConfig: true, timeoutMs: MERGE_TIMEOUT_MS, signal };
  const config = await withoutPrograms(call);
  const git = (...args: string[]) => runGitText({ ...call, config, args });
  if (!/^[0-9a-f]{40,64}$/u.test(commit) || !(await git('cat-file', '-e', `${commit}^{commit}`)).ok) {
    return failure('workspace_ref_missing', `The task's commit ${commit.slice(0, 64)} is not in ${path}`);
  }
  if ((await git('merge-base', '--is-ancestor', commit, 'HEAD')).ok) return success('It is merged already.');
  const ready = await readyFor(git, path, { commit, allowDirty });
  if (!ready.ok) return ready;
  const merged = await git('merge', '--no-edit', '-m', `Merge branch '${branch}'`, commit);
  if (merged.ok) return merged;
  const conflicts = await git('diff', '--name-only', '--diff-filter=U');
  // None was under way before. Fails where git refused before it began, and then there is nothing to take back.
  await git('merge', '--abort');
  const where = conflicts.ok && conflicts.value !== '' ? `. Conflicts in:\n${names(conflicts.value)}` : '';
  return failure(
    'workspace_merge_failed',
    `${merged.failure.message}${where}\nNothing was changed in ${path}.`,
  );
}

/**
 * Settings that keep git from starting the filters and merge drivers that are configured, since the task's commit says by
 * `.gitattributes` for which files they run. What a driver would have merged is a conflict then.
 */
async function withoutPrograms(call: Omit<GitCall, 'args'>): Promise<Record<string, string>> {
  const args = ['config', '--null', '--name-only', '--get-regexp', '^(filter|merge)\\..*\\.'];
  const listed = await runGitText({ ...call, args });
  const settings = (listed.ok ? listed.value.split('\0').filter(Boolean) : []).flatMap(
    (key): [string, string][] => {
      const name = key.slice(0, key.lastIndexOf('.'));
      if (name.startsWith('merge.')) return [[`${name}.driver`, 'false']];
      const programs = ['clean', 'smudge', 'process'].map((each): [string, string] => [
        `${name}.${each}`,
        '',
      ]);
      return [...programs, [`${name}.required`, 'false']];
    },
  );
  return Object.fromEntries(settings);
}

type Git = (...args: string[]) => Promise<Outcome<string>>;

/** Whether a merge can be begun and, should it not go, be taken back with nothing lost. */
async function readyFor(
  git: Git,
  path: string,
  { commit, allowDirty }: Pick<Merge, 'commit' | 'allowDirty'>,
): Promise<Outcome<true>> {
  if ((await git('rev-parse', '--quiet', '--verify', 'MERGE_HEAD')).ok) {
    return failure(
      'workspace_dirty',
      `Another merge is under way in ${path}. Finish it or take it back first`,
    );
  }
  const edited = await git('status', '--porcelain', '--untracked-files=no');
  if (!edited.ok) return edited;
  if (edited.value === '') return success(true);
  if (!allowDirty) {
    return failure('workspace_dirty', `${path} has edits that are not committed:\n${names(edited.value)}`);
  }
  // A merge with conflicts cannot always be taken back where there are edits: it is tried beside the files.
  const tried = await git('merge-tree', '--write-tree', 'HEAD', commit);
  if (tried.ok) return success(true);
  return failure(
    'workspace_merge_failed',
    `The merge has conflicts, or this git is older than 2.38. Commit the edits in ${path} first`,
  );
}

function names(lines: string): string {
  const all = lines.split('\n');
  const left = all.length - MAX_NAMED_FILES;
  return [...all.slice(0, MAX_NAMED_FILES), ...(left > 0 ? [`… ${left} more`] : [])].join('\n');
}
