/** Whether a local source has edits that a task will not see (operations.md: `run` says so). Never runs its filters. */
import type { RepositorySource } from './repository-source.ts';
import { runGit, runGitText } from './git.ts';

const STATUS_TIMEOUT_MS = 5_000;

/** False for remotes and bare repositories, and when it cannot be told in five seconds. */
export async function hasUncommittedEdits(source: RepositorySource, signal?: AbortSignal): Promise<boolean> {
  if (source.kind !== 'local' || source.workTree === undefined) return false;
  const { gitDir, workTree } = source;
  const bounds = { timeoutMs: STATUS_TIMEOUT_MS, signal };
  const filters = await runGitText({
    gitDir,
    args: ['config', '--name-only', '--get-regexp', '^filter\\.'],
    ...bounds,
  });
  // Exit code 1: none are configured.
  const names = filters.ok ? filters.value.split('\n').filter(Boolean) : [];
  const config = Object.fromEntries(names.map((name) => [name, name.endsWith('.required') ? 'false' : '']));
  const args = ['status', '--porcelain', '-z', '--ignore-submodules=all', '--untracked-files=normal'];
  const status = await runGit({ gitDir, workTree, args, config, maxOutputBytes: 1024 * 1024, ...bounds });
  return status.ok ? status.value.length > 0 : status.failure.code === 'git_output_too_large';
}
