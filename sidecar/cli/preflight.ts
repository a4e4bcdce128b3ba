/** Checks before a task starts: repository, git, disk, sandbox. Remotes are not contacted. */
import { existsSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isOnPath } from '../workspace/commands/find-executable.ts';
import { runGit } from '../workspace/git.ts';
import { checkOwner } from '../workspace/source-checks.ts';
import { findForbiddenPart } from '../workspace/allowed-sources.ts';
import { resolveSource, type LocalRepository } from '../workspace/repository-source.ts';
import { createPreflightError } from './exit-codes.ts';
import type { Config } from '../base/config/schema.ts';
import { makeTemporaryFolder } from '../base/system/temporary-folder.ts';
import { resolveWorkerFolders } from '../worker/folders.ts';
import { describeDiskShortage } from '../worker/capacity.ts';

/**
 * Checks that the repository can be used; throws `CommandError` (preflight) if not. `needsHead`: the task starts from HEAD, which
 * must exist. The worker warns about uncommitted edits.
 */
export async function checkRepository(
  repo: string,
  allowedRepos: readonly string[],
  needsHead = false,
): Promise<void> {
  const source = await resolveSource(repo);
  if (!source.ok) throw createPreflightError(source.failure.code, `${source.failure.message}.`);
  const forbiddenPart = await findForbiddenPart(source.value, allowedRepos);
  if (forbiddenPart !== undefined) {
    throw createPreflightError(
      'workspace_repo_not_allowed',
      `workspace.allowedRepos does not allow ${forbiddenPart}. Add it to this list, or use another repository.`,
    );
  }
  if (source.value.kind !== 'local') return;
  const ownership = await checkOwner(source.value);
  if (!ownership.ok) throw createPreflightError(ownership.failure.code, `${ownership.failure.message}.`);
  if (needsHead) await checkHead(repo, source.value);
}

/** Returns the nearest git checkout from `folder` upwards. */
export function findEnclosingRepository(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, '.git'))) return current;
    if (current === dirname(current)) return undefined;
  }
}

async function checkHead(repo: string, source: LocalRepository): Promise<void> {
  const head = await runGit({
    gitDir: source.gitDir,
    args: ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'],
  });
  // Exit code 1 means that HEAD names no commit. The worker reports other problems in more detail.
  if (head.ok || head.failure.exitCode !== 1) return;
  throw createPreflightError(
    'workspace_ref_missing',
    `The repository at ${repo} has nothing checked out, or no commits yet. Commit something first (\`git add -A && git commit\`), or name a branch with --branch.`,
  );
}

/** Checks that git, which every task needs, is installed. Throws `CommandError` (preflight). */
export async function checkGit(): Promise<void> {
  if (isOnPath('git')) return;
  const version = await runGit({ gitDir: '.', args: ['--version'] });
  if (version.ok || version.failure.code !== 'git_missing') return;
  throw createPreflightError(
    'git_missing',
    'git is not installed. Every task requires it: install it, e.g. with `apt-get install git`.',
  );
}

/** Checks the free space on the state folder's disk. Throws `CommandError` (preflight). */
export function checkDisk({ worker }: Pick<Config, 'worker'>): void {
  let folder = resolveWorkerFolders(worker).stateDir;
  // The folder may not exist yet; its nearest existing parent is on the same disk.
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const shortage = describeDiskShortage(folder, worker.minFreeDiskBytes);
  if (shortage === undefined) return;
  throw createPreflightError(
    'worker_disk_full',
    `Too little disk space at ${folder}: ${shortage}. Free some space, or lower worker.minFreeDiskBytes.`,
  );
}

/** Checks that a folder for sandbox and checks can be created. Throws an error with the code `temporary_folder`. */
export const checkTemporaryFolder = (): void => rmdirSync(makeTemporaryFolder('sidecar-start-'));

/** Returns a warning if commands of the model would run unconfined. The worker's start reports a missing required sandbox. */
export async function checkSandbox({ sandbox: { mode } }: Config): Promise<string | undefined> {
  if (mode === 'off')
    return 'WARNING: the sandbox is off (sandbox.mode): commands of the model run with your permissions.';
  if (mode === 'required') return undefined;
  const { detectSandbox } = await import('../workspace/commands/sandbox-detect.ts');
  const detection = await detectSandbox();
  if (detection.available) return undefined;
  return `WARNING: no sandbox (${detection.reason}): commands of the model run with your permissions. Install bubblewrap to confine them.`;
}
