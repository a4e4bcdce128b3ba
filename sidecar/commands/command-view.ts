/** This host as commands of a workspace see it: the mounts of their sandbox, and their variables. */
import { realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { homeFolder } from '../system/home-folder.ts';
import { buildCommandEnvironment, toolchainPaths } from './command-environment.ts';
import { findGitFolders } from './git-folders.ts';
import { isAccessible, planMounts, withoutRedundant } from './host-paths.ts';
import type { WorkspacePaths } from '../files/paths.ts';
import { findProtectedPaths } from '../files/protected-paths.ts';
import type { SandboxSupport } from './sandbox-detect.ts';
import type { SandboxMount } from './sandbox.ts';
import { HOME_NAME, type Scratch } from './scratch.ts';
import { settingsMounts } from './system-settings.ts';

export interface ViewOptions {
  /** Names of further variables of this process that commands get. */
  passedVariables?: readonly string[];
  /** Further paths that commands may read; besides system folders and the programs of the PATH nothing is there. */
  readOnlyPaths?: readonly string[];
  /** Further paths that commands may write. */
  writablePaths?: readonly string[];
  /** Paths that commands must not see, also where they lie in a folder that is shown: the worker's state. */
  hiddenPaths?: readonly string[];
  /** Folders of this host that the sandbox shows read-only at another path, inside of the workspace. */
  sharedFolders?: readonly { source: string; path: string }[];
  /** The folders that the workspace's `.git` points to, where it is not an ordinary worktree. Shown read-only. */
  gitDirs?: readonly string[];
  /** Variables added to every command's environment, unfiltered. */
  environment?: Readonly<Record<string, string>>;
  paths: WorkspacePaths;
  protection: (path: string) => string | undefined;
}

/** The part of this host that the sandbox shows. */
export async function mountsOf(options: ViewOptions, scratch: Scratch): Promise<SandboxMount[]> {
  const {
    paths,
    protection,
    readOnlyPaths = [],
    writablePaths = [],
    hiddenPaths = [],
    gitDirs = [],
    sharedFolders = [],
  } = options;
  const search = (process.env.PATH ?? '').split(delimiter);
  const mounts = planMounts({
    workspace: paths.root,
    scratch: scratch.temporary,
    temporary: tmpdir(),
    homes: operatorHomes(),
    programs: [
      ...search,
      dirname(realpathSync(process.execPath)),
      dirname(dirname(realpathSync(process.execPath))),
      ...toolchainPaths(process.env),
    ],
    hidden: hiddenPaths,
    readOnly: readOnlyPaths,
    writable: writablePaths,
    isRoot: isRoot(),
    settings: settingsMounts(scratch.settings, isRoot()),
  });
  const guarded = [
    ...(await findGitFolders(paths.root)),
    ...gitDirs,
    ...(await findProtectedPaths(paths.root, protection)),
  ].filter((path) => isAccessible(path));
  const shared = sharedFolders.filter(({ source }) => isAccessible(source));
  return withoutRedundant([
    ...mounts,
    ...guarded.map((path) => ({ path, kind: 'read-only' as const })),
    ...shared.map(({ path, source }) => ({ path, source, kind: 'read-only' as const })),
  ]);
}

/** The variables of every command. */
export function commandEnvironment(
  { environment, passedVariables = [] }: ViewOptions,
  sandbox: SandboxSupport,
  scratch: Scratch,
): Record<string, string> {
  return buildCommandEnvironment({
    from: process.env,
    home: sandbox.available ? `/tmp/${HOME_NAME}` : scratch.home,
    temporary: sandbox.available ? '/tmp' : scratch.temporary,
    operatorHome: operatorHomes()[0] ?? '/',
    exists: isAccessible,
    added: passedVariables,
    ...(environment ? { overrides: environment } : {}),
  });
}

function operatorHomes(): string[] {
  const homes = [homeFolder()];
  try {
    homes.push(userInfo().homedir);
  } catch {
    // A user id without an entry, as in some containers, has no other home.
  }
  return [...new Set(homes.filter((path) => path.startsWith('/') && path !== '/'))];
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
