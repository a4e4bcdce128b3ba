/** Looks before a task is begun whether its repository can be used; remotes are not contacted. */
import { isAllowed, resolveSource } from '../workspace/repository-source.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/** Throws `CommandError` (preflight). Uncommitted edits are pointed out by the worker, which looks at them anyway. */
export async function checkRepository(repo: string, allowedRepos: readonly string[]): Promise<void> {
  const source = await resolveSource(repo);
  if (!source.ok) throw new CommandError(EXIT.preflight, source.failure.code, `${source.failure.message}.`);
  if (isAllowed(source.value, allowedRepos)) return;
  throw new CommandError(
    EXIT.preflight,
    'workspace_repo_not_allowed',
    `${repo} is not among the repositories that workspace.allowedRepos allows.`,
  );
}
