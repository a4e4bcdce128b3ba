/**
 * A git worktree per task: registration in the cache, checkout, commit, publishing, removal.
 * It is set up by hand (`worktrees/<name>/{HEAD,commondir,gitdir}` and a `.git` file) instead of by
 * `git worktree add`: one process instead of four, and no look at what a `.git` in the folder says.
 * `task.json` is written last and marks it complete; without it a leftover is removed and made anew.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../values/json.ts';
import type { Clock, Logger, Outcome } from '../ports.ts';
import type { Changes } from '../protocol/result.ts';
import { runGit, runGitText } from './git.ts';
import { ensureGitDir, writeRef, writeWhole } from './private-git-dir.ts';
import { removeFolder } from './remove-folder.ts';
import { fetchInto } from './repository-cache.ts';
import type { RepositorySource } from './repository-source.ts';
import { shortHash, taskName } from './task-names.ts';
import type { PreparedWorkspace, Publication } from './task-workspace.ts';
import { trackFolder } from './tracked-folder.ts';
import { copyIndex } from './work-tree.ts';
import { failure, success, valueOf } from './workspace-error.ts';

const CHECKOUT_TIMEOUT_MS = 300_000;
const PUSH_TIMEOUT_MS = 300_000;

const recordSchema = z.object({
  taskId: z.string(),
  dir: z.string(),
  branch: z.string(),
  baseCommit: z.string(),
});
/** What is written down beside a worktree, so that a restart finds it. */
export type WorktreeRecord = z.output<typeof recordSchema>;

/** Places of one worktree. */
export interface WorktreePlaces {
  cache: string;
  /** `<cache>/worktrees/<name>`: HEAD and index of this worktree. */
  gitDir: string;
  dir: string;
  baseIndex: string;
}

export function worktreePlaces(cache: string, worktreesDir: string, taskId: string): WorktreePlaces {
  const name = taskName(taskId);
  // Two workers may have a task of one id in one cache.
  const gitDir = join(cache, 'worktrees', `${name}-${shortHash(worktreesDir, 6)}`);
  return { cache, gitDir, dir: join(worktreesDir, name), baseIndex: join(gitDir, 'base-index') };
}

/** The record of a complete worktree; undefined when there is none at these places. */
export async function readRecord(gitDir: string): Promise<WorktreeRecord | undefined> {
  const text = await readFile(join(gitDir, 'task.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : recordSchema.safeParse(parseJson(text)).data;
}

/**
 * Checks out `startCommit` on the task's branch. `baseCommit` is what changes are told against: the same, or its
 * parent when the task carries on from a patch.
 */
export async function createWorktree(
  places: WorktreePlaces,
  record: WorktreeRecord,
  startCommit: string,
  { signal, onCheckout }: { signal?: AbortSignal; onCheckout?: () => void } = {},
): Promise<Outcome<true>> {
  const { gitDir, dir, cache, baseIndex } = places;
  await Promise.all([removeFolder(dir), removeFolder(gitDir)]);
  await Promise.all([mkdir(dir, { recursive: true }), mkdir(gitDir, { recursive: true })]);
  await Promise.all([
    writeFile(join(gitDir, 'HEAD'), `ref: refs/heads/${record.branch}\n`),
    writeFile(join(gitDir, 'commondir'), '../..\n'),
    writeFile(join(gitDir, 'gitdir'), `${join(dir, '.git')}\n`),
    writeFile(join(dir, '.git'), `gitdir: ${gitDir}\n`),
  ]);
  const checkout = checkOut(places, startCommit, signal);
  onCheckout?.();
  const [checkedOut] = await Promise.all([
    checkout,
    writeRef(cache, `refs/heads/${record.branch}`, startCommit),
  ]);
  if (!checkedOut.ok) return checkedOut;
  if (startCommit === record.baseCommit) await copyIndex(join(gitDir, 'index'), baseIndex);
  else {
    const read = await runGit({
      gitDir,
      workTree: dir,
      indexFile: baseIndex,
      args: ['read-tree', record.baseCommit],
      signal,
    });
    if (!read.ok) return read;
  }
  await writeWhole(join(gitDir, 'task.json'), JSON.stringify(record));
  return success(true);
}

/** Takes a worktree away, whole or half made, and the branch that is named. Rejects only for errors of the file system. */
export async function removeWorktree(
  { dir, gitDir, cache }: WorktreePlaces,
  branch: string | undefined,
): Promise<void> {
  await Promise.all([removeFolder(dir), removeFolder(gitDir)]);
  if (branch !== undefined)
    await runGit({ gitDir: cache, args: ['update-ref', '-d', `refs/heads/${branch}`] });
}

const checkOut = (
  { gitDir, dir }: WorktreePlaces,
  commit: string,
  signal?: AbortSignal,
): ReturnType<typeof runGit> =>
  runGit({
    gitDir,
    workTree: dir,
    args: ['read-tree', '-u', '--reset', commit],
    timeoutMs: CHECKOUT_TIMEOUT_MS,
    signal,
  });

export interface WorktreeOptions {
  places: WorktreePlaces;
  record: WorktreeRecord;
  source: RepositorySource;
  repo: string;
  adopted: boolean;
  sourceDirty: boolean;
  submodules: readonly string[];
  push: 'never' | 'branch';
  clock: Clock;
  logger?: Logger;
}

/** The workspace of a worktree that is in place. */
export function openWorktree(options: WorktreeOptions): PreparedWorkspace {
  const { places, record, source, logger } = options;
  const tree = { gitDir: places.gitDir, dir: places.dir, baseIndex: places.baseIndex };
  const folder = trackFolder(tree, logger);
  let published: Publication | undefined;

  const commit = async (message: string): Promise<Changes> => {
    await ensureGitDir(places.cache);
    const snapshot = valueOf(await folder.snapshot());
    const head = valueOf(await commitTree(options, snapshot.treeId, message));
    await copyIndex(snapshot.indexFile, join(places.gitDir, 'index.next'));
    await rename(join(places.gitDir, 'index.next'), join(places.gitDir, 'index'));
    const difference = valueOf(await folder.describe(record.baseCommit, snapshot.treeId, snapshot.leftOut));
    return { base_commit: record.baseCommit, head_commit: head, branch: record.branch, ...difference };
  };
  const publish = async (): Promise<Outcome<Publication | undefined>> => {
    const head = await branchHead(places.cache, record.branch);
    if (head === undefined || head === record.baseCommit) return success(undefined);
    if (published?.commit === head) return success(published);
    const where = await publishTo(source, places.cache, record.branch, options.push);
    if (!where.ok) return where;
    published = { branch: record.branch, commit: head, where: where.value };
    return success(published);
  };
  const release = async ({ keepBranch }: { keepBranch: boolean }): Promise<void> => {
    if (keepBranch) {
      const outcome = await publish();
      if (!outcome.ok)
        logger?.warn(
          { code: outcome.failure.code },
          `The branch stays in the cache: ${outcome.failure.message}`,
        );
    }
    await removeWorktree(places, keepBranch ? undefined : record.branch);
  };
  return {
    dir: places.dir,
    repo: options.repo,
    branch: record.branch,
    baseCommit: record.baseCommit,
    gitDirs: [places.cache],
    ...(source.kind === 'local' && source.workTree !== undefined ? { sourcePath: source.workTree } : {}),
    sourceDirty: options.sourceDirty,
    submodules: options.submodules,
    adopted: options.adopted,
    fingerprint: folder.fingerprint,
    uncommittedFiles: folder.uncommittedFiles,
    commit,
    publish,
    release,
  };
}

/** Commits a tree on the task's branch, unless the branch has it already. Answers the branch's head. */
async function commitTree(
  options: WorktreeOptions,
  treeId: string,
  message: string,
): Promise<Outcome<string>> {
  const { record, places, clock } = options;
  const ref = `refs/heads/${record.branch}`;
  const tip = (await branchHead(places.cache, record.branch)) ?? record.baseCommit;
  const tipTree = await runGitText({
    gitDir: places.cache,
    args: ['rev-parse', '--verify', '--quiet', `${tip}^{tree}`],
  });
  if (tipTree.ok && tipTree.value === treeId) return success(tip);
  const made = await makeCommit(places.cache, treeId, tip, message, clock);
  if (!made.ok) return made;
  const moved = await runGit({ gitDir: places.cache, args: ['update-ref', '--no-deref', ref, made.value] });
  return moved.ok ? made : moved;
}

const identity = 'ollama-sidecar';

/** A commit object by the worker: no hooks, no signing, no look at anybody's configuration. */
export function makeCommit(
  gitDir: string,
  treeId: string,
  parent: string,
  message: string,
  clock: Clock,
): Promise<Outcome<string>> {
  const date = `${Math.floor(clock.now() / 1000)} +0000`;
  const env = {
    GIT_AUTHOR_NAME: identity,
    GIT_AUTHOR_EMAIL: `${identity}@localhost`,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: identity,
    GIT_COMMITTER_EMAIL: `${identity}@localhost`,
    GIT_COMMITTER_DATE: date,
  };
  const input = message.replaceAll('\0', '').trim().slice(0, 10_000) || 'Work of a task';
  return runGitText({ gitDir, args: ['commit-tree', treeId, '-p', parent], input: `${input}\n`, env });
}

async function branchHead(cache: string, branch: string): Promise<string | undefined> {
  const head = await runGitText({
    gitDir: cache,
    args: ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`],
  });
  return head.ok ? head.value : undefined;
}

async function publishTo(
  source: RepositorySource,
  cache: string,
  branch: string,
  push: 'never' | 'branch',
): Promise<Outcome<Publication['where']>> {
  const refspec = `refs/heads/${branch}:refs/heads/${branch}`;
  if (source.kind === 'local') {
    const fetched = await fetchInto(source.commonDir, cache, refspec);
    if (fetched.ok) return success('source');
    return failure(
      'workspace_publish_failed',
      `Could not put ${branch} into ${source.path}: ${fetched.failure.message}`,
      true,
    );
  }
  if (push === 'never') return success('cache');
  const args = ['push', '--quiet', '--no-verify', '--', source.url, `+${refspec}`];
  const pushed = await runGit({
    gitDir: cache,
    args,
    config: source.credentials,
    operatorConfig: true,
    timeoutMs: PUSH_TIMEOUT_MS,
  });
  if (pushed.ok) return success('remote');
  return failure(
    'workspace_publish_failed',
    `Could not push ${branch} to ${source.url}: ${pushed.failure.message}`,
    true,
  );
}
