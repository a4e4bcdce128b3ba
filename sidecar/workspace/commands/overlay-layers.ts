/**
 * Creates private writable layers over folders of the host that commands see. Tools write beside packages (`node_modules/.vite`, build
 * info, generated clients). With layers, such writes stay in one environment, and the packages of the host do not change. A layer is an
 * overlay file system in a mount namespace of the environment, in which its sandboxes start. No process runs in the namespace; the system
 * removes it when its descriptors are closed. If overlays cannot be mounted, each entry of a folder is shown separately, and caches of the
 * host are not shown.
 */
import { closeSync, existsSync, lstatSync, openSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { MountedFolder } from '../files/workspace-paths.ts';
import { exceedsSize } from '../files/folder-size.ts';
import { launch } from '../../base/system/launcher.ts';
import { findExecutable } from './find-executable.ts';
import { isWithin } from './host-paths.ts';
import type { SandboxMount } from './sandbox.ts';

/** A cache of this host that a tool writes to. */
export interface PrivateCache extends MountedFolder {
  /** Variables that point the tool to the cache at `path`. */
  variables: Readonly<Record<string, string>>;
}

export interface Layers {
  /** Command prefix that enters the mount namespace, to be put before bubblewrap; empty without a namespace. */
  enterCommand: readonly string[];
  /** The mounts that show the folders. */
  mounts: readonly SandboxMount[];
  /** Returns whether writes to a folder of the host go to a layer. */
  isLayered: (source: string) => boolean;
  /** Variables that point tools to the shown caches. */
  variables: Readonly<Record<string, string>>;
  close: () => Promise<void>;
}

export const NO_LAYERS: Layers = {
  enterCommand: [],
  mounts: [],
  isLayered: () => false,
  variables: {},
  close: () => Promise.resolve(),
};

interface LayerOptions {
  caches?: readonly PrivateCache[];
  /** Folder of the layers over caches, if these layers are retained for a later environment. */
  cacheLayersDir?: string | undefined;
  /** Folders in which to search `unshare` and `nsenter`. */
  programFolders?: readonly string[];
}

const OPEN_TIMEOUT_MS = 10_000;
const [MAX_ENTRIES, MAX_COPIED_BYTES, MAX_COPIED_FILES] = [400, 16 * 1024 ** 2, 1_000];
const DEFAULT_PROGRAM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
/** Script that mounts an overlay on each source folder. The mount options use relative names, so that they contain no commas and colons. */
const MOUNT_SCRIPT = `while [ $# -gt 0 ]; do
cd "$1" && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr "$2" && echo "$1"
shift 2; done 2>/dev/null; echo ready; read -r _`;

/** Makes the layers of `folders` below the new folder `layersFolder`. Rejects only if the disk fails. */
export async function openLayers(
  folders: readonly MountedFolder[],
  layersFolder: string,
  { caches = [], cacheLayersDir = layersFolder, programFolders = DEFAULT_PROGRAM_FOLDERS }: LayerOptions = {},
): Promise<Layers> {
  await mkdir(layersFolder);
  const isInnermost = ({ path }: MountedFolder): boolean =>
    !folders.some((other) => other.path !== path && isWithin(other.path, path));
  const innermost = folders.filter(isInnermost);
  const layerBySource = new Map(
    innermost.map(({ source }, index) => [source, join(layersFolder, String(index))]),
  );
  for (const { source } of caches)
    if (existsSync(source)) layerBySource.set(source, join(cacheLayersDir, source.replaceAll('/', '-')));
  const namespace = layerBySource.size === 0 ? undefined : await openNamespace(layerBySource, programFolders);
  const isLayered = (source: string): boolean => namespace?.layeredSources.has(source) ?? false;
  const shown = caches.filter(({ source }) => isLayered(source));
  const mounts: SandboxMount[] = shown.map(({ source, path }) => ({ source, path, kind: 'writable' }));
  for (const [index, folder] of folders.entries()) {
    if (isLayered(folder.source)) mounts.push({ ...folder, kind: 'writable' });
    else if (!innermost.includes(folder)) mounts.push({ ...folder, kind: 'read-only' });
    else mounts.push(...(await mountEntries(folder, join(layersFolder, `entries-${index}`))));
  }
  return {
    enterCommand: namespace?.enterCommand ?? [],
    mounts,
    isLayered,
    variables: Object.assign({}, ...shown.map(({ variables }) => variables)) as Record<string, string>,
    close: async () => {
      namespace?.descriptors.splice(0).forEach((fd) => closeSync(fd));
      // The kernel creates this folder without any permissions. They are restored, so that the folder can be removed.
      for (const layer of layerBySource.values())
        await chmod(join(layer, 'work/work'), 0o700).catch(() => undefined);
    },
  };
}

interface MountNamespace {
  enterCommand: string[];
  descriptors: number[];
  layeredSources: ReadonlySet<string>;
}

/**
 * Makes the mount namespace of the layers. Returns undefined if this user may not make it, or if no overlay could be mounted.
 * `layerBySource`: path of the layer for each source folder.
 */
async function openNamespace(
  layerBySource: ReadonlyMap<string, string>,
  programFolders: readonly string[],
): Promise<MountNamespace | undefined> {
  const [unshare, nsenter] = ['unshare', 'nsenter'].map((name) =>
    findExecutable(programFolders.map((folder) => join(folder, name))),
  );
  if (unshare === undefined || nsenter === undefined) return undefined;
  for (const [source, layer] of layerBySource) {
    for (const name of ['upper', 'work']) await mkdir(join(layer, name), { recursive: true });
    await rm(join(layer, 'lower'), { force: true });
    await symlink(source, join(layer, 'lower'));
  }
  const namespaceFlags = ['--user', '--map-root-user', '--mount', '--propagation', 'slave'];
  const holder = launch({
    file: unshare,
    args: [
      ...namespaceFlags,
      '--',
      '/bin/sh',
      '-c',
      MOUNT_SCRIPT,
      'sh',
      ...[...layerBySource].flatMap(([source, layer]) => [layer, source]),
    ],
    cwd: '/',
    env: { PATH: programFolders.join(':') },
    descriptors: ['pipe', 'pipe', 'ignore'],
  });
  const deadline = setTimeout(() => holder.signal('SIGKILL'), OPEN_TIMEOUT_MS);
  const descriptors: number[] = [];
  try {
    const mountedLayers = await readMountedLayers(holder.outputs[1]);
    if (mountedLayers.length === 0 || holder.pid === undefined) return undefined;
    for (const kind of ['user', 'mnt']) descriptors.push(openSync(`/proc/${holder.pid}/ns/${kind}`, 'r'));
    const [user, mount] = descriptors.map((fd) => `/proc/${process.pid}/fd/${fd}`);
    return {
      enterCommand: [nsenter, `--user=${user}`, `--mount=${mount}`, '--preserve-credentials', '--'],
      descriptors,
      layeredSources: new Set(
        [...layerBySource].filter(([, layer]) => mountedLayers.includes(layer)).map(([source]) => source),
      ),
    };
  } catch {
    descriptors.forEach((fd) => closeSync(fd));
    return undefined;
  } finally {
    clearTimeout(deadline);
    holder.stdin?.end();
    await holder.exited.catch(() => undefined);
    holder.release();
  }
}

/** Returns the layers that were mounted; none if the process ends before it is ready. */
async function readMountedLayers(output: AsyncIterable<Buffer> | undefined): Promise<string[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of output ?? []) {
    chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    if (text.endsWith('ready\n')) return text.split('\n').slice(0, -2);
  }
  return [];
}

/**
 * Shows a folder as a new folder in which each entry is mounted read-only. Copies links, and small folders whose name begins with a dot,
 * since tools write to them. A folder with too many entries is shown unchanged.
 */
async function mountEntries({ source, path }: MountedFolder, target: string): Promise<SandboxMount[]> {
  const entries = await readdir(source, { withFileTypes: true }).catch(() => []);
  if (entries.length === 0 || entries.length > MAX_ENTRIES) return [{ source, path, kind: 'read-only' }];
  await mkdir(target);
  const mounts: SandboxMount[] = [{ source: target, path, kind: 'writable' }];
  for (const { name } of entries) {
    const [sourcePath, targetPath] = [join(source, name), join(target, name)];
    const isFolder = lstatSync(sourcePath).isDirectory();
    const isSmall =
      (!isFolder || name.startsWith('.')) &&
      !(await exceedsSize([sourcePath], MAX_COPIED_BYTES, MAX_COPIED_FILES));
    if (isSmall) await cp(sourcePath, targetPath, { recursive: true, verbatimSymlinks: true });
    else if (isFolder) {
      await mkdir(targetPath);
      mounts.push({ source: sourcePath, path: join(path, basename(targetPath)), kind: 'read-only' });
    }
  }
  return mounts;
}
