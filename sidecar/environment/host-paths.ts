/**
 * What the sandbox shows and hides of this host: homes, run-time sockets and what only
 * root may read are hidden; the toolchains of the PATH that lie in a home are shown read-only; the workspace
 * and a scratch folder as /tmp are writable, without the workspace's protected paths.
 */
import { accessSync, constants, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';
import type { SandboxMount } from './sandbox.ts';

export interface HostPathOptions {
  /** Real path of the workspace. */
  workspace: string;
  /** Folder that commands see as /tmp. */
  scratch: string;
  /** Folder for temporary files of the worker; hidden when it is not /tmp. */
  temporary: string;
  homes: readonly string[];
  /** Folders of the PATH, and the runtime's own. */
  programs: readonly string[];
  hidden: readonly string[];
  readOnly: readonly string[];
  writable: readonly string[];
  isRoot: boolean;
}

/** Home folders of a user in which a toolchain is whole: a program below it may need all of it. */
const TOOLCHAINS = [
  '.nvm .fnm .volta .nodenv .bun .deno .asdf .pyenv .rbenv .rustup .sdkman .dotnet .ghcup .opam .juliaup .elan',
  '.linuxbrew .local/lib .local/pipx .local/share/fnm .local/share/mise .local/share/uv .local/share/pipx',
  '.local/share/pnpm miniconda3 anaconda3 miniforge3 go sdk n',
].flatMap((group) => group.split(' '));
/** Programs in the first folder start ones in the others. */
const COMPANIONS: Record<string, string[]> = {
  '.cargo/bin': ['.rustup'],
  '.local/bin': ['.local/lib', '.local/pipx', '.local/share/uv', '.local/share/pipx', '.local/share/mise'],
};
const SYSTEM_HIDDEN = ['/run', '/var/run', '/var/tmp', '/mnt', '/media', '/root', '/home'];
/** Where root's own files are looked for, with the depth. */
const ROOT_ONLY_IN: [string, number][] = [
  ['/', 1],
  ['/etc', 3],
  ['/var', 2],
  ['/opt', 1],
  ['/srv', 1],
];
const MAX_ROOT_ONLY = 48;
const MAX_SOCKETS = 32;

/** The mounts for a workspace, without those that change nothing. Reads the file system, never throws. */
export function planMounts(options: HostPathOptions): SandboxMount[] {
  const { workspace, scratch, homes } = options;
  const real = (paths: readonly string[]) => paths.flatMap((path) => realPath(path) ?? []);
  const hidden = [
    ...real([...SYSTEM_HIDDEN, ...homes, options.temporary]).filter((path) => hasEntries(path)),
    ...real(options.hidden),
    ...real(listeningSockets()),
    ...(options.isRoot ? rootOnlyPaths() : []),
  ].filter((path) => path !== workspace && path !== '/' && path !== '/tmp' && isAccessible(path));
  const shown = [...toolchainFolders(options.programs, homes), ...options.readOnly];
  const mounts: SandboxMount[] = [
    ...hidden.map((path) => ({ path, kind: isFolder(path) ? ('hidden' as const) : ('masked' as const) })),
    ...real(shown).map((path) => ({ path, kind: 'read-only' as const })),
    ...real(options.writable).map((path) => ({ path, kind: 'writable' as const })),
    ...(workspace === '/tmp' ? [] : [{ path: '/tmp', kind: 'writable' as const, source: scratch }]),
    { path: workspace, kind: 'writable' },
  ];
  return withoutRedundant(mounts.filter(({ path, source }) => isAccessible(source ?? path)));
}

/** Folders with programs that lie in a home, each as the whole toolchain that it belongs to. */
export function toolchainFolders(programs: readonly string[], homes: readonly string[]): string[] {
  const found: string[] = [];
  for (const folder of programs) {
    const home = homes.find((home) => isBelow(folder, home));
    if (!isAbsolute(folder) || home === undefined) continue;
    const toolchain = TOOLCHAINS.find(
      (name) => isBelow(folder, join(home, name)) || folder === join(home, name),
    );
    // A PATH that names the home folder itself would show all of it.
    if (folder !== home) found.push(toolchain ? join(home, toolchain) : folder);
    const companions = COMPANIONS[folder.slice(home.length + 1)] ?? [];
    found.push(...companions.map((name) => join(home, name)));
  }
  return [...new Set(found)];
}

/** Drops mounts that repeat what the nearest one above them does already; the root is read-only. */
export function withoutRedundant(mounts: readonly SandboxMount[]): SandboxMount[] {
  const byPath = new Map<string, SandboxMount>();
  const strength = { hidden: 0, 'read-only': 1, masked: 1, writable: 2 };
  for (const mount of mounts) {
    const other = byPath.get(mount.path);
    if (!other || strength[mount.kind] >= strength[other.kind]) byPath.set(mount.path, mount);
  }
  const nearestAbove = (path: string): SandboxMount => {
    let above = dirname(path);
    while (above !== '/' && !byPath.has(above)) above = dirname(above);
    return byPath.get(above) ?? { path: '/', kind: 'read-only' };
  };
  return [...byPath.values()].filter(({ path, kind, source }) => {
    const above = nearestAbove(path);
    // Below a folder that shows another one, nothing of the host is there to begin with.
    const nothingThere = above.kind === 'hidden' || above.source !== undefined;
    if (kind === 'hidden' || kind === 'masked') return !nothingThere && above.kind !== kind;
    return source !== undefined || nothingThere || above.kind !== kind;
  });
}

/** A socket file can be connected to on a read-only mount too. Most lie in /run and are hidden with it. */
function listeningSockets(): string[] {
  try {
    const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
    // The fourth column has the flag of a socket that accepts connections, the last one the path.
    const paths = lines.flatMap((line) => /^\S+ \S+ \S+ 0*10000 .* (\/.*)$/.exec(line)?.[1] ?? []);
    return [...new Set(paths)].slice(0, MAX_SOCKETS);
  } catch {
    return [];
  }
}

let rootOnly: string[] | undefined;

/** What an ordinary user of this host could not read; looked up once. */
function rootOnlyPaths(): string[] {
  rootOnly ??= ROOT_ONLY_IN.flatMap(([folder, depth]) => unreadableBelow(folder, depth)).slice(
    0,
    MAX_ROOT_ONLY,
  );
  return rootOnly;
}

function unreadableBelow(folder: string, depth: number): string[] {
  const found: string[] = [];
  for (const name of entriesOf(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || (!stats.isFile() && !stats.isDirectory())) continue;
    const forOthers = stats.isDirectory() ? 0o005 : 0o004;
    if ((stats.mode & forOthers) === 0 && (stats.isDirectory() ? hasEntries(path) : stats.size > 0))
      found.push(path);
    else if (stats.isDirectory() && depth > 1) found.push(...unreadableBelow(path, depth - 1));
  }
  return found;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder + sep);
}

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function hasEntries(path: string): boolean {
  return !isFolder(path) || entriesOf(path).length > 0;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Whether this user could read or enter it: bubblewrap cannot show it otherwise, and nothing needs hiding. */
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
