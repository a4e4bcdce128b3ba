/** Verified is a fact about a commit: who takes the branch of a verified result sees its checks pass. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TaskResult } from '../../sidecar/base/protocol/result.ts';
import type { TaskInput } from '../../sidecar/base/protocol/task.ts';

type Judged = Pick<TaskResult, 'verification_status' | 'changes'>;
type Check = NonNullable<TaskInput['verification_steps']>[number];

/** Throws where a result is verified and its checks fail in a fresh clone of its branch in `repo`, with these dependencies. */
export function holdsInFreshClone(
  { verification_status: status, changes }: Judged,
  repo: string,
  checks: readonly Check[] | null | undefined,
  dependencies?: string,
): void {
  if (status !== 'verified' || typeof changes.branch !== 'string') return;
  const folder = mkdtempSync(join(tmpdir(), 'fresh-clone-'));
  try {
    run(tmpdir(), 'git', ['clone', '--quiet', '--branch', changes.branch, repo, folder]);
    if (dependencies !== undefined && existsSync(dependencies))
      cpSync(dependencies, join(folder, 'node_modules'), { recursive: true });
    for (const { type, target } of checks ?? [])
      if (type === 'command_succeeds' && typeof target === 'string') run(folder, 'sh', ['-c', target]);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function run(cwd: string, program: string, args: readonly string[]): void {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`a verified result fails in a fresh clone: ${args.at(-1)}\n${stdout}${stderr}`);
}
