/**
 * Shows a part of /etc to commands: files that programs of all kinds read. Other files there are settings of services, including secrets.
 * The files are copied once for each workspace and shown as links into one folder, since a mount for each would take longer than many
 * commands. Only folders with many files are mounted themselves.
 */
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readTextOrEmpty, isAccessible, isRoot, buildSystemMount } from './host-paths.ts';
import type { SandboxMount } from './sandbox.ts';

const COPIED_SETTINGS = [
  'alpine-release bash.bashrc debian_version default/locale fedora-release gai.conf gitconfig group host.conf inputrc',
  'ld.so.cache ld.so.conf ld.so.conf.d locale.alias locale.conf localtime login.defs lsb-release magic magic.mime',
  'manpath.config maven mime.types nanorc networks nsswitch.conf os-release passwd perl php/*/cli php/*/mods-available',
  'profile profile.d protocols python3 redhat-release rpc services shells system-release terminfo timezone vimrc',
].flatMap((line) => line.split(' '));
/**
 * Settings that are mounted instead of copied: folders with many files, and network settings, which may change while the workspace exists.
 */
const MOUNTED_SETTINGS = 'alternatives crypto-policies fonts hosts java java-* pki resolv.conf ssl'.split(
  ' ',
);
/** Folder in which commands see the copies. */
const COPIES_PATH = '/.settings';

/** Returns the mounts that show /etc, and copies files into the new folder `folder`. Throws if the folder cannot be made. */
export function mountSettings(folder: string): SandboxMount[] {
  mkdirSync(folder);
  const copied = COPIED_SETTINGS.flatMap(expandPattern).flatMap((name): SandboxMount | [] => {
    const mount = buildSystemMount(join('/etc', name));
    if (mount?.kind !== 'read-only') return mount ?? [];
    return copySetting(mount.path, join(folder, name))
      ? { path: mount.path, kind: 'link', source: join(COPIES_PATH, name) }
      : [];
  });
  const mounted = MOUNTED_SETTINGS.flatMap(expandPattern).flatMap(
    (name) => buildSystemMount(join('/etc', name)) ?? [],
  );
  mkdirSync(join(folder, OFFLINE_FOLDER));
  for (const [path, content] of Object.entries(buildOfflineFiles()))
    writeFileSync(join(folder, OFFLINE_FOLDER, basename(path)), content);
  return [{ path: COPIES_PATH, kind: 'read-only', source: folder }, ...copied, ...mounted];
}

const OFFLINE_FOLDER = 'offline';

/** Returns files that make the C libraries report an unknown host at once, instead of asking servers that cannot be reached. */
const buildOfflineFiles = (): Record<string, string> => ({
  '/etc/nsswitch.conf': readTextOrEmpty('/etc/nsswitch.conf').replace(/^hosts:.*$/m, 'hosts: files'),
  '/etc/resolv.conf': 'options timeout:1 attempts:1\n',
});

/** Returns the mounts for a command without network, which resolves host names by `/etc/hosts` only. */
export const replaceNameServers = (mounts: readonly SandboxMount[]): SandboxMount[] =>
  mounts.map((mount) =>
    mount.path in buildOfflineFiles()
      ? { path: mount.path, kind: 'link', source: join(COPIES_PATH, OFFLINE_FOLDER, basename(mount.path)) }
      : mount,
  );

/** Expands a pattern with one `*` to the matching names in /etc; returns a name without `*` unchanged. */
function expandPattern(pattern: string): string[] {
  const [prefix = '', suffix] = pattern.split('*');
  if (suffix === undefined) return [pattern];
  const folder = join('/etc', dirname(`${prefix}x`));
  const beginning = prefix.slice(prefix.lastIndexOf('/') + 1);
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith(beginning));
    return names.map((name) => join(dirname(`${prefix}x`), name + suffix));
  } catch {
    return [];
  }
}

function copySetting(path: string, target: string): boolean {
  try {
    mkdirSync(dirname(target), { recursive: true });
    // Relative links in the folder still resolve, since both folders have the same depth.
    cpSync(realpathSync(path), target, {
      recursive: true,
      verbatimSymlinks: true,
      filter: isVisibleToCommands,
    });
    return true;
  } catch {
    // The copy fails, for example on a full disk. Most commands work without the file.
    return false;
  }
}

/** Returns whether commands may see a file: other users can read it, too, and it contains no credentials. */
export function isVisibleToCommands(path: string): boolean {
  const stats = lstatSync(path);
  if (!isAccessible(path) || (isRoot() && (stats.mode & 0o004) === 0)) return false;
  return !stats.isFile() || stats.size > MAX_SEARCHED_BYTES || !LOGIN_PATTERN.test(stripComments(path));
}

const MAX_SEARCHED_BYTES = 64 * 1024;
/** Matches credentials for a proxy, a mirror or a repository, in settings of git, Maven and shells. */
const LOGIN_PATTERN = /:\/\/[^/\s@:]{0,500}:[^/\s@]{1,500}@|<pass(?:word|phrase)>|extraheader/i;
const stripComments = (path: string): string => readFileSync(path, 'utf8').replaceAll(/<!--[\s\S]*?-->/g, '');
