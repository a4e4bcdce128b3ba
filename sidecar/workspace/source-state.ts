/** Whether a local source has edits that a task will not see. Never runs its filters. */
import { join } from 'node:path';
import type { LocalRepository, RepositorySource } from './repository-source.ts';
import { runGit, runGitText, type GitCall } from './git.ts';
import { readSmall } from '../system/small-file.ts';

const STATUS_TIMEOUT_MS = 5_000;

/** False for remotes and bare repositories, and when it cannot be known in five seconds. */
export async function hasUncommittedEdits(source: RepositorySource, signal?: AbortSignal): Promise<boolean> {
  if (source.kind !== 'local' || source.workTree === undefined) return false;
  const { gitDir, workTree } = source;
  const bounds = { timeoutMs: STATUS_TIMEOUT_MS, signal };
  const config = await withoutFilters(source, bounds);
  const args = ['status', '--porcelain', '-z', '--ignore-submodules=all', '--untracked-files=normal'];
  const status = await runGit({ gitDir, workTree, args, config, maxOutputBytes: 1024 * 1024, ...bounds });
  return status.ok ? status.value.length > 0 : status.failure.code === 'git_output_too_large';
}

const MAX_CONFIG_BYTES = 1024 * 1024;
/** Without one of these words a configuration names no filter, neither itself nor in another file. */
const mayNameFilters = /filter|include|worktreeconfig/i;

/** Configuration that switches off every filter which the repository's own names. */
async function withoutFilters(
  { gitDir, commonDir }: LocalRepository,
  bounds: Pick<GitCall, 'timeoutMs' | 'signal'>,
): Promise<Record<string, string>> {
  const text = await readSmall(join(commonDir, 'config'), MAX_CONFIG_BYTES);
  if (text !== undefined && !mayNameFilters.test(text)) return {};
  const args = ['config', '--name-only', '--get-regexp', '^filter\\.'];
  const filters = await runGitText({ gitDir, args, ...bounds });
  // Exit code 1: none are configured.
  const names = filters.ok ? filters.value.split('\n').filter(Boolean) : [];
  return Object.fromEntries(names.map((name) => [name, name.endsWith('.required') ? 'false' : '']));
}
