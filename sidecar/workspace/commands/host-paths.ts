/**
 * Determines folders and files of this host that the sandbox shows or hides: system folders, the programs of the PATH with their
 * installations, sockets, and files that only root can read.
 */
import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { SandboxMount } from './sandbox.ts';

/** Folders of a user's home that hold a whole toolchain; a program in one may need all of it. */
const HOME_TOOLCHAINS = [
  '.nvm .fnm .volta .nodenv .bun .deno .asdf .pyenv .rbenv .rustup .sdkman .dotnet .ghcup .opam .juliaup .elan',
  '.linuxbrew .local/lib .local/pipx .local/share/fnm .local/share/mise .local/share/uv .local/share/pipx',
  '.local/share/pnpm miniconda3 anaconda3 miniforge3 go sdk n',
].flatMap((group) => group.split(' '));
/** Folders of a home that programs in the key's folder need, since they start programs there. */
const COMPANION_FOLDERS: Record<string, string[]> = { '.cargo/bin': ['.rustup'] };
/** Folders that are searched for files that only root can read, each with the maximum depth of the search. */
const ROOT_ONLY_SEARCHES: [string, number][] = [
  ['/etc', 3],
  ['/opt', 1],
];
/** Folders of the host's TLS keys. They are hidden even if this user is in a group that may read them, such as ssl-cert. */
const KEY_FOLDERS = ['/etc/ssl/private', '/etc/pki/tls/private'];

/**
 * Returns mounts that hide the given `paths`, sockets, TLS keys, files that only root can read, and those homes and other `folders` that
 * are not empty. The result may contain paths in folders that are not shown.
 */
export function buildHidingMounts(folders: readonly string[], paths: readonly string[]): SandboxMount[] {
  const hidden = [
    ...resolveRealPaths(folders).filter((path) => hasEntries(path)),
    ...resolveRealPaths([...paths, ...listListeningSockets(), ...KEY_FOLDERS]),
    ...(isRoot() ? listRootOnlyPaths() : []),
  ];
  return hidden
    .filter((path) => path !== '/' && path !== '/tmp')
    .map((path) => ({ path, kind: isFolder(path) ? 'hidden' : 'masked' }));
}

/** Resolves absolute paths and drops those that contain a home folder, since mounting them would expose the whole home. */
export function dropParentsOfHomes(folders: readonly string[], homes: readonly string[]): string[] {
  const homePaths = [...homes, ...resolveRealPaths(homes)];
  return folders
    .filter((folder) => isAbsolute(folder))
    .map((folder) => resolve(folder))
    .filter((folder) =>
      [folder, ...resolveRealPaths([folder])].every(
        (path) => path !== '/' && !homePaths.some((home) => isWithin(home, path)),
      ),
    );
}

/** Returns the folders of programs in a home: the whole toolchain of each program, and the targets of its links. */
export function findToolchainFolders(programs: readonly string[], homes: readonly string[]): string[] {
  const folders: string[] = [];
  for (const folder of programs) {
    const home = homes.find((home) => isBelow(folder, home));
    if (!isAbsolute(folder) || home === undefined) continue;
    // If the PATH names the home folder itself, all of the home would be shown.
    if (folder !== home) folders.push(toolchainOf(folder, [home]) ?? folder);
    const companions = COMPANION_FOLDERS[folder.slice(home.length + 1)] ?? [];
    folders.push(...companions.map((name) => join(home, name)), ...findInstallations(folder, homes));
  }
  return [...new Set(folders)];
}

function toolchainOf(path: string, homes: readonly string[]): string | undefined {
  const all = homes.flatMap((home) => HOME_TOOLCHAINS.map((name) => join(home, name)));
  return all.find((toolchain) => isWithin(path, toolchain));
}

const MAX_PROGRAMS = 1_000;

/** Resolves the programs in a folder to their install folders: toolchains, Node packages, Python environments with their interpreter. */
function findInstallations(folder: string, homes: readonly string[]): string[] {
  const programs = listNames(folder).slice(0, MAX_PROGRAMS);
  const installations = resolveRealPaths(programs.map((name) => join(folder, name))).flatMap((path) => {
    const toolchain = toolchainOf(path, [...homes, ...resolveRealPaths(homes)]);
    if (toolchain !== undefined) return [toolchain];
    const [packagesParent = '', ...packages] = path.split('/node_modules/');
    if (packages.length > 0) return [join(packagesParent, 'node_modules')];
    const environment = dirname(dirname(path));
    if (!isFile(join(environment, 'pyvenv.cfg')) || homes.some((home) => isWithin(home, environment)))
      return [];
    return dirname(path) === folder
      ? [environment]
      : [environment, ...findInstallations(dirname(path), homes)];
  });
  return [...new Set(installations)];
}

/** Returns folders with a user's packages that programs find without the PATH: packages of Python, and package managers of Corepack. */
export const listUserPackages = (homes: readonly string[]): string[] =>
  homes.flatMap((home) => {
    const pythons = listNames(join(home, '.local/lib')).filter((name) => /^python\d/.test(name));
    return [...pythons.map((name) => join(home, '.local/lib', name)), join(home, '.cache/node/corepack')];
  });

/** Returns the folders of programs that are neither in system folders nor in homes, with the sibling folders of the same installation. */
export function listProgramFolders(programs: readonly string[], homes: readonly string[]): string[] {
  const folders = programs.filter(
    (folder) =>
      isAbsolute(folder) &&
      folder !== '/' &&
      !isSystemPath(folder) &&
      !homes.some((home) => isWithin(folder, home)),
  );
  return [...new Set(folders)].flatMap((folder) => {
    const isPrograms = /^(?:s?bin|Scripts|shims)$/.test(basename(folder));
    const siblings = isPrograms ? SIBLING_FOLDERS.map((name) => join(dirname(folder), name)) : [];
    return [folder, ...siblings.filter((path) => isAccessible(path))];
  });
}

const SIBLING_FOLDERS =
  'lib lib64 libexec share include etc pkg src misc versions conda-meta pyvenv.cfg go.env VERSION'.split(' ');

/** System folders, which are shown completely and read-only. */
const SYSTEM_FOLDERS =
  '/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /nix/store /gnu/store /snap /sys/devices/system /sys/fs/cgroup'.split(
    ' ',
  );
/** Returns the mounts of the system's folders. */
export const buildSystemMounts = (): SandboxMount[] =>
  SYSTEM_FOLDERS.flatMap((path) => buildSystemMount(path) ?? []);

/** Returns the mount of a system path; undefined if it is missing. A link into a shown folder stays a link. */
export function buildSystemMount(path: string): SandboxMount | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || !isAccessible(path)) return undefined;
  const target = stats.isSymbolicLink() ? readlinkSync(path) : undefined;
  return target !== undefined && isSystemPath(resolve(dirname(path), target))
    ? { path, kind: 'link', source: target }
    : { path, kind: 'read-only' };
}

export const isSystemPath = (path: string): boolean =>
  SYSTEM_FOLDERS.some((folder) => isWithin(path, folder));

/** Returns read-only mounts of a path under its own name and, if it differs, under its real name. */
export function mountPath(path: string): SandboxMount[] {
  const source = resolveRealPath(path);
  if (source === undefined) return [];
  const mount: SandboxMount = { path: source, kind: 'read-only' };
  return source === path || isSystemPath(path) || !isAbsolute(path)
    ? [mount]
    : [mount, { path, kind: 'read-only', source }];
}

/** Drops mounts that have the same effect as their nearest parent mount. Without a parent mount, a path is empty. */
export function dropRedundantMounts(mounts: readonly SandboxMount[]): SandboxMount[] {
  const byPath = new Map<string, SandboxMount>();
  const strength = { hidden: 0, link: 1, 'read-only': 1, masked: 1, writable: 2 };
  for (const mount of mounts) {
    const other = byPath.get(mount.path);
    if (!other || strength[mount.kind] >= strength[other.kind]) byPath.set(mount.path, mount);
  }
  const nearestAbove = (path: string): SandboxMount => {
    let above = dirname(path);
    while (above !== '/' && !byPath.has(above)) above = dirname(above);
    return byPath.get(above) ?? { path: '/', kind: 'hidden' };
  };
  return [...byPath.values()].filter(({ path, kind, source }) => {
    const above = nearestAbove(path);
    // A folder that shows another one has nothing of the host below it.
    const isHiddenAbove = above.kind === 'hidden' || above.source !== undefined;
    if (kind === 'link') return isHiddenAbove;
    if (kind === 'hidden' || kind === 'masked') return !isHiddenAbove && above.kind !== kind;
    return source !== undefined || isHiddenAbove || above.kind !== kind;
  });
}

/**
 * Lists the Unix sockets that accept connections. A read-only mount does not prevent connections, so the sockets must be hidden. Most lie
 * in /run and are hidden with it.
 */
function listListeningSockets(): string[] {
  const lines = readTextOrEmpty('/proc/net/unix').split('\n');
  // The fourth column has the flag of a socket that accepts connections; the last column is the path.
  const paths = lines.flatMap((line) => /^\S+ \S+ \S+ 0*10000 .* (\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)];
}

let cachedRootOnlyPaths: string[] | undefined;

/** Lists paths that only root can read. Searches only once and caches the result. */
function listRootOnlyPaths(): string[] {
  cachedRootOnlyPaths ??= ROOT_ONLY_SEARCHES.flatMap(([folder, depth]) => findUnreadablePaths(folder, depth));
  return cachedRootOnlyPaths;
}

function findUnreadablePaths(folder: string, depth: number): string[] {
  const paths: string[] = [];
  for (const name of listNames(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || (!stats.isFile() && !stats.isDirectory())) continue;
    const othersMode = stats.isDirectory() ? 0o005 : 0o004;
    if ((stats.mode & othersMode) === 0 && (stats.isDirectory() ? hasEntries(path) : stats.size > 0))
      paths.push(path);
    else if (stats.isDirectory() && depth > 1) paths.push(...findUnreadablePaths(path, depth - 1));
  }
  return paths;
}

export const isWithin = (path: string, folder: string): boolean => path === folder || isBelow(path, folder);

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder + sep);
}

/** Returns the names in a folder; none if it cannot be read. */
export function listNames(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Returns a file's text; empty if it cannot be read. */
export function readTextOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function hasEntries(path: string): boolean {
  return !isFolder(path) || listNames(path).length > 0;
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

export const resolveRealPaths = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => resolveRealPath(path) ?? []);

function resolveRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether this user can read or enter a path. bubblewrap cannot show a path that this user cannot access, so such a path needs no
 * hiding.
 */
export function isAccessible(path: string): boolean {
  return [constants.R_OK, constants.X_OK].some((mode) => {
    try {
      accessSync(path, mode);
      return true;
    } catch {
      return false;
    }
  });
}

export const isRoot = (): boolean => process.getuid?.() === 0;
