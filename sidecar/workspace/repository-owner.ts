/**
 * Whether git reads a local repository at all: one of another user it refuses ("dubious ownership") unless this user
 * has allowed it, and then a fetch fails in words that help nobody.
 */
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Outcome } from '../ports.ts';
import { runGit } from './git.ts';
import type { LocalRepository } from './repository-source.ts';
import { failure, success } from '../values/outcome.ts';

const TIMEOUT_MS = 10_000;

/** Fails with `workspace_repo_owner` and the command that allows it. Asks git only where another user owns a part. */
export async function checkOwner(source: LocalRepository, signal?: AbortSignal): Promise<Outcome<true>> {
  const { path, gitDir, commonDir } = source;
  const own = await Promise.all([path, gitDir, commonDir].map(isOwn));
  if (own.every(Boolean)) return success(true);
  const asked = await runGit({
    // Any folder that is no repository: nothing that the other user configured is to be read.
    gitDir: tmpdir(),
    args: ['ls-remote', '--quiet', '--', path, 'HEAD'],
    operatorConfig: true,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (asked.ok || !asked.failure.stderr.includes('dubious ownership')) return success(true);
  const folder = /safe\.directory (.+)$/m.exec(asked.failure.stderr)?.[1] ?? commonDir;
  return failure(
    'workspace_repo_owner',
    `The repository at ${path} belongs to another user, and git reads such ones only where you allow it: \`git config --global --add safe.directory ${folder}\`, or work on a clone of your own`,
  );
}

async function isOwn(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined || found.uid === process.geteuid?.();
}
