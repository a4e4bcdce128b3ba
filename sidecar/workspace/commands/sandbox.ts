/**
 * Builds the arguments of the bubblewrap sandbox. The root begins empty, so that only mounted paths exist. Mounts are ordered by depth, so
 * that the most specific path decides; their given order does not matter.
 */

/**
 * `read-only` and `writable` show a file or folder of the host (`source`, if it differs from `path`). `hidden` shows an empty folder of a
 * few KiB that is removed after the command. `masked` shows a file that cannot be opened. `link` is a symbolic link with the text `source`.
 */
export interface SandboxMount {
  path: string;
  kind: 'read-only' | 'writable' | 'hidden' | 'masked' | 'link';
  source?: string;
}

/** Features that some versions of bubblewrap, kernels and containers lack. */
export interface SandboxFeatures {
  /** Whether further user namespaces are forbidden. */
  blocksUserNamespaces: boolean;
  /** Whether the filter of `syscall-filter.ts` is used, on `FILTER_FD`. */
  filtersSyscalls: boolean;
}

/** Descriptor on which bubblewrap reads the filter of system calls. */
export const FILTER_FD = 4;

export interface SandboxPlan {
  mounts: readonly SandboxMount[];
  /** Whether commands use the network of the host, loopback included. Otherwise they only have an empty loopback device. */
  network: boolean;
  /** Whether the worker, and therefore its commands, run with the user id of root. */
  isRoot: boolean;
  features: SandboxFeatures;
  /** Size limit of the file systems in memory (/dev/shm). */
  maxMemoryFileBytes: number;
}

/** Size limit of a hidden folder, enough for mount points in it. Making the folder read-only instead would take 0.2 ms each. */
const HIDDEN_FOLDER_BYTES = '65536';
const NAMESPACE_FLAGS = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'];

/** Returns all arguments that make the sandbox: `bwrap <these> --chdir <folder> -- <command>`. */
export function buildSandboxArguments(plan: SandboxPlan): string[] {
  return [
    NAMESPACE_FLAGS,
    plan.features.blocksUserNamespaces ? ['--disable-userns'] : [],
    plan.features.filtersSyscalls ? ['--seccomp', String(FILTER_FD)] : [],
    plan.network ? [] : ['--unshare-net'],
    // The name must resolve, since programs look up the name of their own machine.
    ['--hostname', 'localhost'],
    ['--die-with-parent', '--new-session'],
    // If the worker runs as root, bubblewrap would otherwise retain all capabilities in the sandbox.
    ['--cap-drop', 'ALL'],
    ['--proc', '/proc'],
    // A process with the user id of root may write kernel settings in /proc. bubblewrap makes them read-only only if it can write them
    // itself.
    plan.isRoot ? ['--remount-ro', '/proc'] : [],
    ['--dev', '/dev'],
    ['--size', String(plan.maxMemoryFileBytes), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ['--remount-ro', '/dev'],
    ...plan.mounts.toSorted(compareByDepth).map((mount) => buildMountArguments(mount)),
    // The root folder is a file system in memory without a size limit, so commands must not write to it.
    ['--remount-ro', '/'],
  ].flat();
}

function buildMountArguments({ kind, path, source = path }: SandboxMount): string[] {
  const byKind = {
    'read-only': ['--ro-bind', source, path],
    writable: ['--bind', source, path],
    hidden: ['--size', HIDDEN_FOLDER_BYTES, '--perms', '0555', '--tmpfs', path],
    // Bind mounts of bubblewrap forbid the use of devices, so the file cannot be opened.
    masked: ['--ro-bind', '/dev/null', path],
    link: ['--symlink', source, path],
  };
  return byKind[kind];
}

const MOUNT_ORDER: Record<SandboxMount['kind'], number> = {
  link: 0,
  hidden: 0,
  writable: 1,
  'read-only': 2,
  masked: 3,
};

function compareByDepth(a: SandboxMount, b: SandboxMount): number {
  const depth = (path: string) => path.split('/').filter(Boolean).length;
  return (
    depth(a.path) - depth(b.path) || MOUNT_ORDER[a.kind] - MOUNT_ORDER[b.kind] || (a.path < b.path ? -1 : 1)
  );
}
