/** Where a task works when it is run by the library. The worker brings a worktree of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CleanupStack } from '../../system/cleanup-stack.ts';
import { openFolderWorkspace } from '../../workspace/folder-workspace.ts';
import type { PreparedWorkspace } from '../../workspace/task-workspace.ts';
import type { ExecuteConfig } from './executor-settings.ts';

/** The caller's workspace, the caller's folder, or an empty folder that is removed again. Throws a failure with a code. */
export async function openWorkspace(
  { repo_dir, workspace }: Pick<ExecuteConfig, 'repo_dir' | 'workspace'>,
  cleanup: CleanupStack,
): Promise<PreparedWorkspace> {
  if (repo_dir === undefined && typeof workspace === 'object') return workspace;
  const given = repo_dir ?? (typeof workspace === 'string' ? workspace : undefined);
  const dir = given ?? (await mkdtemp(join(tmpdir(), 'ollama-sidecar-')));
  if (given === undefined) cleanup.add(() => rm(dir, { recursive: true, force: true }));
  const opened = await openFolderWorkspace(dir);
  if (!opened.ok) throw Object.assign(new Error(opened.failure.message), { code: opened.failure.code });
  cleanup.add(() => opened.value.release({ keepBranch: false }));
  return opened.value;
}
