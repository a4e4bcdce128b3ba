/**
 * Supports tasks for one folder of a repository. Paths, checks and commands start in this folder, and `..` leads to the rest of the
 * repository. Only this module converts between these paths and those of git, which start at the root.
 */
import { mkdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Task } from '../base/protocol/task.ts';
import { isLinkFree } from './link-free-path.ts';
import { isFolder, toRepositoryPath, type RepositorySource } from './repository-source.ts';
import type { PreparedWorkspace } from './task-workspace.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';

/** Returns the folder that a task names, by its field or by a path inside of a repository; empty for the root. */
export function resolveSubfolder(
  { subfolder, metadata }: Partial<Pick<Task, 'subfolder' | 'metadata'>>,
  source: RepositorySource,
): Outcome<string> {
  const field = subfolder ?? metadata?.subfolder;
  const subpath =
    source.kind === 'local' ? toRepositoryPath(source, source.discoveryFolder ?? source.path) : '';
  const namedFolder = typeof field === 'string' && field !== '' ? posix.normalize(`./${field}`) : subpath;
  const folder = namedFolder.replace(/\/+$/u, '');
  if (folder === '.' || folder === '') return success('');
  if (folder === '..' || folder.startsWith('../') || /[\0\n\r]/u.test(folder))
    return failure(
      'workspace_folder_missing',
      `The folder "${folder.slice(0, 200)}" is not inside the repository`,
    );
  return success(folder);
}

/** Creates the folder in a worktree if it is missing, since a commit has no folders without tracked files. */
export async function ensureSubfolder(
  dir: string,
  folder: string,
  isNamedByPath: boolean,
): Promise<Outcome<true>> {
  if (folder === '') return success(true);
  if (isNamedByPath) await mkdir(join(dir, folder), { recursive: true }).catch(() => undefined);
  if ((await isLinkFree(dir, Buffer.from(folder))) && (await isFolder(join(dir, folder))))
    return success(true);
  return failure(
    'workspace_folder_missing',
    `The base commit has no folder ${folder}. Name a folder of the repository, or commit this folder first`,
  );
}

/** Returns the workspace with paths that start in its subfolder. */
export function translateToSubfolder(workspace: PreparedWorkspace): PreparedWorkspace {
  const { subfolder, base } = workspace;
  if (subfolder === undefined) return workspace;
  const toTaskPath = (path: string): string => posix.relative(subfolder, path);
  const toGitPath = (path: string): string => posix.join(subfolder, path);
  const translatePaths = (paths: Outcome<string[]>): Outcome<string[]> =>
    paths.ok ? success(paths.value.map(toTaskPath)) : paths;
  return {
    ...workspace,
    dir: join(workspace.dir, subfolder),
    notes: [
      `paths are relative to the folder ${subfolder} of the repository, where commands and checks run; the root of the repository is ${toTaskPath('') || '.'}`,
      ...(workspace.notes ?? []),
    ],
    base: {
      listChangedPaths: async () => translatePaths(await base.listChangedPaths()),
      listPaths: async () => translatePaths(await base.listPaths()),
      readTexts: async (paths) => {
        const texts = await base.readTexts(paths.map(toGitPath));
        return texts.ok
          ? success(new Map([...texts.value].map(([path, text]) => [toTaskPath(path), text])))
          : texts;
      },
    },
    listUncommittedFiles: async () => (await workspace.listUncommittedFiles()).map(toTaskPath),
    checkOut: async (state, signal) => {
      const gitState = typeof state === 'object' ? { withBase: state.withBase.map(toGitPath) } : state;
      const tree = await workspace.checkOut(gitState, signal);
      if (!tree.ok) return tree;
      const { value } = tree;
      return success({
        ...value,
        listUncommittedFiles: async () => (await value.listUncommittedFiles()).map(toTaskPath),
      });
    },
  };
}
