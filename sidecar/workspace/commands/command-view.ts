/** Describes how commands of a workspace see this host: the mounts of their sandbox and their environment variables. */
import { mkdirSync, realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { findHomeFolder } from '../../base/system/home-folder.ts';
import { hasLinkBelow } from '../../base/system/real-path.ts';
import { buildCommandEnvironment, listToolchainPaths } from './command-environment.ts';
import {
  dropParentsOfHomes,
  mountPath,
  buildHidingMounts,
  isAccessible,
  isWithin,
  listProgramFolders,
  resolveRealPaths,
  buildSystemMounts,
  findToolchainFolders,
  listUserPackages,
  dropRedundantMounts,
} from './host-paths.ts';
import type { MountedFolder, WorkspacePaths } from '../files/workspace-paths.ts';
import { findProtectedPaths } from '../files/protected-paths.ts';
import type { Layers, PrivateCache } from './overlay-layers.ts';
import { mountPrivateGit } from './private-git.ts';
import type { SandboxSupport } from './sandbox-detect.ts';
import type { SandboxMount } from './sandbox.ts';
import { COMMANDS_HOME, type ScratchFolders } from './scratch-folders.ts';
import { mountSettings } from './system-settings.ts';

export interface ViewOptions {
  /** Names of further variables of the worker that are passed to commands. */
  passedVariables?: readonly string[];
  /** Additional paths that commands may read, besides system folders and the programs on the PATH. */
  readOnlyPaths?: readonly string[];
  /** Further paths that commands may write. */
  writablePaths?: readonly string[];
  /** Paths that commands must not see, even in a shown folder: the worker's state. */
  hiddenPaths?: readonly string[];
  /** Folders of this host that the sandbox shows at a path inside of the workspace, under a writable layer. */
  sharedFolders?: readonly MountedFolder[];
  /** Caches of this host that tools write to. Each is shown under a writable layer, if layers can be made. */
  privateCaches?: readonly PrivateCache[] | undefined;
  /** Folders of this host that commands see as empty folders of their own. */
  emptyFolders?: readonly string[] | undefined;
  /** Folder that retains the layers over these caches for a later environment. Default: the layers are removed with this environment. */
  cacheLayersDir?: string;
  /**
   * Path of the project on this host, if programs of a virtual environment import the project by that path. The sandbox shows the workspace
   * there, too.
   */
  projectPath?: string | undefined;
  /**
   * The git folders to which the workspace's `.git` refers. Commands see copies of them. The content of `.git` itself is not trusted, since
   * a task may have created it.
   */
  gitDirs?: readonly string[];
  /** Additional variables of commands without network; they name local folders of packages. */
  offlineVariables?: Readonly<Record<string, string>>;
  /** Variables added to every command's environment, unfiltered. */
  environment?: Readonly<Record<string, string>>;
  paths: WorkspacePaths;
}

/**
 * Returns the mounts of the sandbox: system folders, programs and the operator's additions, read-only; the workspace and a scratch folder
 * as /tmp, writable except for the workspace's protected paths. Everything else is absent: homes, other tasks, the worker's own files,
 * sockets.
 */
export async function buildMounts(
  options: ViewOptions,
  scratch: ScratchFolders,
  layers: Layers,
): Promise<SandboxMount[]> {
  const { paths, readOnlyPaths = [], writablePaths = [], hiddenPaths = [], gitDirs = [] } = options;
  const { emptyFolders = [] } = options;
  const { root } = paths;
  const dotGit = join(root, '.git');
  const homes = listOperatorHomes();
  const node = dirname(realpathSync(process.execPath));
  const searchPath = (process.env.PATH ?? '').split(delimiter);
  const programPaths = [...searchPath, node, dirname(node), ...listToolchainPaths(process.env)];
  const programDirs = dropParentsOfHomes(programPaths, homes);
  const readable = [
    ...findToolchainFolders(programDirs, homes),
    ...listProgramFolders(programDirs, homes),
    ...listUserPackages(homes),
    ...readOnlyPaths,
  ];
  const mounts: SandboxMount[] = [
    ...buildSystemMounts(),
    ...mountSettings(scratch.settingsFolder),
    ...buildHidingMounts([...homes, tmpdir()], hiddenPaths).filter(({ path }) => path !== root),
    ...readable.flatMap((path) => mountPath(path)),
    ...resolveRealPaths(writablePaths).map((path) => ({ path, kind: 'writable' as const })),
    ...(root === '/tmp'
      ? []
      : [{ path: '/tmp', kind: 'writable' as const, source: scratch.temporaryFolder }]),
    ...emptyFolders.map((path, index) => {
      const source = join(scratch.emptyFolders, String(index));
      mkdirSync(source, { recursive: true });
      return { path, source, kind: 'writable' as const };
    }),
    ...Object.entries(scratch.folderByPath).map(([path, source]) => ({
      path,
      source,
      kind: 'writable' as const,
    })),
    { path: root, kind: 'writable' },
  ];
  const git = await mountPrivateGit(gitDirs, { folder: scratch.gitFolder, root });
  const guarded: SandboxMount[] = [
    ...(hasLinkBelow(root, dotGit) ? [] : [dotGit]),
    ...(await findProtectedPaths(root, paths.protectionOf)),
  ].map((path) => ({ path, kind: 'read-only' }));
  // Read-only mounts of protected paths are added after the first reduction. It has removed writable paths that the workspace covers, so
  // none of these can replace such a mount.
  const shown = dropRedundantMounts([
    ...dropRedundantMounts(selectAccessible(mounts)),
    ...selectAccessible([...guarded, ...git, ...layers.mounts]),
  ]);
  // Programs of a virtual environment refer to themselves by the environment's original path.
  const mounted = shown.map((mount) =>
    layers.isLayered(mount.source ?? mount.path) ? { ...mount, kind: 'writable' as const } : mount,
  );
  return [...mounted, ...buildProjectMounts(mounted, options)];
}

/**
 * Returns mounts that show the workspace at the project's own path, with the same guards; none if something else of the host is shown or
 * hidden there.
 */
function buildProjectMounts(
  mounts: readonly SandboxMount[],
  { projectPath, sharedFolders = [], paths: { root } }: ViewOptions,
): SandboxMount[] {
  if (projectPath === undefined || isWithin(root, projectPath) || isWithin(projectPath, root)) return [];
  const isShared = (path: string) => sharedFolders.some(({ source }) => isWithin(path, source));
  const projectMounts = mounts.filter(({ path }) => isWithin(path, projectPath));
  if (projectMounts.some(({ path }) => !isShared(path))) return [];
  return mounts
    .filter(({ path }) => isWithin(path, root))
    .map(({ path, kind, source }) => ({
      path: join(projectPath, relative(root, path)),
      kind,
      ...(kind === 'hidden' || kind === 'masked' ? {} : { source: source ?? path }),
    }))
    .filter(({ path }) => !projectMounts.some((mount) => mount.path === path));
}

/** Returns the mounts whose source this user can read or enter. */
const selectAccessible = (mounts: readonly SandboxMount[]): SandboxMount[] =>
  mounts.filter(({ kind, path, source = path }) => kind === 'link' || isAccessible(source));

/** Returns the variables of every command. */
export function buildCommandVariables(
  { environment, passedVariables = [] }: ViewOptions,
  sandbox: SandboxSupport,
  scratch: ScratchFolders,
): Record<string, string> {
  return buildCommandEnvironment({
    workerVariables: process.env,
    home: sandbox.available ? COMMANDS_HOME : scratch.home,
    temporary: sandbox.available ? '/tmp' : scratch.temporaryFolder,
    operatorHome: listOperatorHomes()[0] ?? '/',
    isAccessible,
    allowedNames: passedVariables,
    ...(environment ? { overrides: environment } : {}),
  });
}

/** Returns the home folders of the user that the worker runs as. */
export function listOperatorHomes(): string[] {
  const homes = [findHomeFolder()];
  try {
    homes.push(userInfo().homedir);
  } catch {
    // The user id has no entry in the user database, as in some containers, so no other home is known.
  }
  return [...new Set(homes.filter((path) => path.startsWith('/') && path !== '/'))];
}
