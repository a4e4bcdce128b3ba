/**
 * Finds the tool chains of this machine that a project needs and commands cannot read yet: the Python of its `.venv`, and the caches of Go,
 * Cargo and Maven. The files of a project are untrusted, so they only name candidates. A folder is shown only if it contains a Python
 * installation, or if it is a cache by a tool's default or by a variable of the worker.
 */
import glob from 'fast-glob';
import { existsSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { MountedFolder } from '../files/workspace-paths.ts';
import { createProtection } from '../files/protected-paths.ts';
import { readSmallFile } from '../../base/system/small-file.ts';
import { findExecutable } from './find-executable.ts';
import { listNames, isSystemPath, isWithin, resolveRealPaths } from './host-paths.ts';
import type { PrivateCache } from './overlay-layers.ts';
import { COMMANDS_HOME } from './scratch-folders.ts';
import { listToolFolders } from './tool-folders.ts';

export interface ProjectFolders {
  /** The workspace. */
  root: string;
  /** Folders with dependencies that are shown in the workspace. */
  sharedFolders: readonly MountedFolder[];
  /** Folders of the worker itself, which are never shown. */
  hiddenPaths: readonly string[];
  /** Folders that the operator lets commands read. */
  readablePaths: readonly string[];
  /** The operator's home folder. */
  home: string;
  /** Environment variables of the worker. */
  variables: NodeJS.ProcessEnv;
}

export interface Toolchains {
  /** Folders that commands may read. */
  readablePaths: string[];
  /**
   * Variables that point tools to `readablePaths`. Only for commands without network, since tools with network would write to these
   * read-only folders.
   */
  variables: Record<string, string>;
  /** Caches that tools write to; commands see each in a private layer. */
  caches: PrivateCache[];
  /** Folders that tools write to and commands see as empty. */
  emptyFolders: string[];
  /** A sentence for each folder that is not shown because only the operator can judge whether it may be. */
  advice: string[];
}

interface ToolchainNeed {
  paths: string[];
  caches?: PrivateCache[];
  emptyFolder?: string;
  variables?: Record<string, string>;
  /** Advice for the user if the folder is not shown. */
  advice?: string;
}

const MAX_HOPS = 8;
const MAX_ADVICE = 3;
/** Folders in a home that contain Python interpreters, even if an interpreter's library is elsewhere. */
const PYTHON_FOLDERS = ['.local/share/uv/python', '.pyenv/versions', '.asdf/installs/python', '.rye/py'];
/** Only these parts of a prefix are shown, since a prefix such as `~/.local` also contains keyrings. */
const PYTHON_PARTS = ['bin', 'lib', 'lib64', 'include', 'ssl'];

/** Finds the tool chains of a project, in its root and in folders directly below. Never rejects because of a project's content. */
export async function findToolchains(project: ProjectFolders): Promise<Toolchains> {
  const ownFolders = ['.venv', 'venv', 'node_modules'].map((name) => join(project.root, name));
  const folders = [...project.sharedFolders, ...ownFolders.map((path) => ({ source: path, path }))];
  const searches = folders.map((folder) =>
    basename(folder.path) === 'node_modules'
      ? findLinkedPackages(folder, project)
      : findPythons(folder, project),
  );
  const toolchains: Toolchains = {
    readablePaths: [],
    variables: {},
    caches: [],
    emptyFolders: [],
    advice: [],
  };
  for (const { variables, advice, caches = [], emptyFolder: folder, ...need } of (
    await Promise.all([...searches, findCaches(project)])
  ).flat()) {
    toolchains.caches.push(...caches.filter(({ source }) => mayBeShown(source, project)));
    if (folder !== undefined && !isSystemPath(folder) && !isWithin(project.home, folder))
      toolchains.emptyFolders.push(folder);
    const paths = need.paths.filter((path) => mayBeShown(path, project));
    if (paths.length === 0 && need.paths.length > 0) continue;
    if (advice === undefined) {
      toolchains.readablePaths.push(...paths);
      Object.assign(toolchains.variables, variables);
    } else if (!paths.every((path) => project.readablePaths.some((readable) => isWithin(path, readable))))
      toolchains.advice.push(advice);
  }
  const { readablePaths, advice } = toolchains;
  return {
    ...toolchains,
    readablePaths: [...new Set(readablePaths)],
    advice: [...new Set(advice)].slice(0, MAX_ADVICE),
  };
}

/**
 * Returns whether the name and the real path of a folder allow it to be shown: it has no protected name, is no folder of the worker or the
 * project, and is no parent of these or of the home.
 */
function mayBeShown(path: string, { root, sharedFolders, hiddenPaths, home }: ProjectFolders): boolean {
  const pathForms = [path, ...resolveRealPaths([path])];
  if (pathForms.length === 1 || isSystemPath(path)) return false;
  const excluded = resolveRealPaths([
    root,
    ...sharedFolders.map((folder) => projectOf(folder, root)),
    ...hiddenPaths,
  ]);
  const isAround = [...excluded, ...resolveRealPaths([home])].some((folder) =>
    pathForms.some((form) => isWithin(folder, form)),
  );
  const isForbidden = (form: string) => isProtected(form) !== undefined || /^\/(?:proc|dev|sys)\//.test(form);
  return (
    !isAround &&
    !pathForms.some((form) => isForbidden(form) || excluded.some((folder) => isWithin(form, folder)))
  );
}

const isProtected = createProtection();

/** Returns the project folder that a shown folder belongs to: the work tree of the source, or the prepared dependencies. */
const projectOf = ({ source, path }: MountedFolder, root: string): string =>
  resolve(source, relative(path, root));

/**
 * Returns the Python installation that `home` in `pyvenv.cfg` names, and those in the folders through which the link `bin/python` leads,
 * including a folder that is an alias of a version.
 */
async function findPythons({ source }: MountedFolder, project: ProjectFolders): Promise<ToolchainNeed[]> {
  const settings = (await readSmallFile(join(source, 'pyvenv.cfg'))) ?? '';
  const pythonHome = /^home[ \t]*=[ \t]*(\/.*)$/m.exec(settings)?.[1] ?? source;
  const bins = [resolve(pythonHome.trimEnd()), ...listLinkFolders(join(source, 'bin/python'))];
  const prefixes = bins.filter((bin) => basename(bin) === 'bin').map((bin) => dirname(bin));
  return [...new Set(prefixes)].flatMap((prefix): ToolchainNeed[] => {
    const programs = listNames(join(prefix, 'bin')).filter((name) => /^python[\d.]*$/.test(name));
    const isPython = findExecutable(programs.map((name) => join(prefix, 'bin', name))) !== undefined;
    if (!isPython || isWithin(prefix, source) || !mayBeShown(prefix, project)) return [];
    const libraries = listNames(join(prefix, 'lib')).filter((name) => /^python\d/.test(name));
    const isWhole = libraries.some((name) => existsSync(join(prefix, 'lib', name, 'os.py')));
    const isKnown = PYTHON_FOLDERS.some((folder) => dirname(prefix) === join(project.home, folder));
    const paths = PYTHON_PARTS.map((name) => join(prefix, name)).filter((part) =>
      resolveRealPaths([part]).some((real) =>
        resolveRealPaths([prefix]).some((folder) => isWithin(real, folder)),
      ),
    );
    const advice = `${basename(source)} uses the Python in ${prefix}/bin, which commands cannot read. To let them read all of ${prefix}, add it to sandbox.read`;
    return [isWhole || isKnown ? { paths } : { paths, advice }];
  });
}

/** Returns the folders of all targets that a chain of links leads through. */
function listLinkFolders(link: string, hops = MAX_HOPS): string[] {
  try {
    const next = resolve(dirname(link), readlinkSync(link));
    return hops === 0 ? [] : [dirname(next), ...listLinkFolders(next, hops - 1)];
  } catch {
    return []; // The path is not a link.
  }
}

/** Returns packages that are links out of the project. Such a link is usually relative, so it resolves differently in a worktree. */
async function findLinkedPackages(
  { source, path }: MountedFolder,
  { root }: ProjectFolders,
): Promise<ToolchainNeed[]> {
  const project = projectOf({ source, path }, root);
  const options = { cwd: source, onlyFiles: false, followSymbolicLinks: false, objectMode: true } as const;
  const entries = await glob(['*', '@*/*'], { ...options, suppressErrors: true });
  const links = entries.filter(({ dirent }) => dirent.isSymbolicLink());
  return links.flatMap(({ path: name }): ToolchainNeed[] => {
    const [real = project] = resolveRealPaths([join(source, name)]);
    if (isWithin(real, project) || !existsSync(join(real, 'package.json'))) return [];
    const link = relative(project, join(source, name));
    const advice = `${link} is a link to ${real}, outside the project, which commands cannot read: install the package as a copy (npm: install-links=true, pnpm: enableGlobalVirtualStore: false)`;
    return [{ paths: [real], advice }];
  });
}

/** Returns the caches of the package managers whose files the project has. */
async function findCaches({ root, home, variables }: ProjectFolders): Promise<ToolchainNeed[]> {
  const toolFolders = listToolFolders(home, variables);
  const options = { cwd: root, followSymbolicLinks: false, suppressErrors: true };
  const paths = await glob(
    toolFolders.flatMap(({ files = [] }) => files.flatMap((file) => [file, `*/${file}`])),
    options,
  );
  const names = new Set(paths.map((path) => basename(path)));
  return toolFolders
    .filter(({ files = [] }) => files.some((file) => names.has(file)))
    .map(({ caches = [], cacheVariable, ...tool }) => ({
      ...tool,
      caches: caches.map(({ source, homePath }) => {
        const path = homePath === undefined ? source : join(COMMANDS_HOME, homePath);
        return { source, path, variables: cacheVariable === undefined ? {} : { [cacheVariable]: path } };
      }),
    }));
}
