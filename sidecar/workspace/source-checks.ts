/** Checks a local source before a task begins: whether git accepts it, and whether it has edits that are not part of the task. */
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSmallFile } from '../base/system/small-file.ts';
import { runGit, disablePrograms } from './git.ts';
import type { LocalRepository, RepositorySource } from './repository-source.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';

const OWNER_TIMEOUT_MS = 10_000;

/**
 * Checks that git accepts a repository. git refuses a repository of another user ("dubious ownership") unless this user has allowed it.
 * Fails with `workspace_repo_owner` and the command that allows it. git runs only if another user owns a part of the repository.
 */
export async function checkOwner(source: LocalRepository, signal?: AbortSignal): Promise<Outcome<true>> {
  const { path, gitDir, commonDir } = source;
  const ownerships = await Promise.all([path, gitDir, commonDir].map(isOwnedByUser));
  if (ownerships.every(Boolean)) return success(true);
  const ownerCheck = await runGit({
    // Any folder outside of a repository, so that git does not read the other user's configuration.
    gitDir: tmpdir(),
    args: ['ls-remote', '--quiet', '--', path, 'HEAD'],
    usesOperatorConfig: true,
    timeoutMs: OWNER_TIMEOUT_MS,
    signal,
  });
  if (ownerCheck.ok || !ownerCheck.failure.stderr.includes('dubious ownership')) return success(true);
  const folder = /safe\.directory (.+)$/m.exec(ownerCheck.failure.stderr)?.[1] ?? commonDir;
  return failure(
    'workspace_repo_owner',
    `The repository at ${path} belongs to another user, so git does not read it. Allow it with \`git config --global --add safe.directory ${folder}\`, or use a clone of your own`,
  );
}

async function isOwnedByUser(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats === undefined || stats.uid === process.geteuid?.();
}

const STATUS_TIMEOUT_MS = 5_000;

/**
 * Returns whether a local source has edits that are not part of a task. Returns false for remotes, and if git does not answer in five
 * seconds.
 */
export async function hasUncommittedEdits(source: RepositorySource, signal?: AbortSignal): Promise<boolean> {
  if (source.kind !== 'local' || source.workTree === undefined) return false;
  const { gitDir, workTree } = source;
  const bounds = { timeoutMs: STATUS_TIMEOUT_MS, signal };
  const text = await readSmallFile(join(source.commonDir, 'config'), MAX_CONFIG_BYTES);
  const isPlain = text !== undefined && !FILTER_SETTINGS.test(text);
  const config = isPlain ? {} : await disablePrograms({ gitDir, ...bounds });
  const args = ['status', '--porcelain', '-z', '--ignore-submodules=all', '--untracked-files=normal'];
  const status = await runGit({ gitDir, workTree, args, config, maxOutputBytes: 1024 * 1024, ...bounds });
  return status.ok ? status.value.length > 0 : status.failure.code === 'git_output_too_large';
}

const MAX_CONFIG_BYTES = 1024 * 1024;
/** Matches a configuration that may name a filter, directly or in an included file. Without these words, it names none. */
const FILTER_SETTINGS = /filter|include|worktreeconfig/i;
