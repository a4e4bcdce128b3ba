/**
 * The bubblewrap sandbox: a pure builder of its arguments. It begins with an empty root, so that only what is mounted is
 * there. Mounts are ordered by depth, so that the most specific path decides; the order in which they are given does not
 * matter.
 */

/**
 * `read-only` and `writable` show the host's file or folder (`source`, if it differs from `path`),
 * `hidden` an empty folder of a few KiB that is gone after the command, `masked` a file that cannot be opened, and `link`
 * a symbolic link with the text `source`.
 */
export interface SandboxMount {
  path: string;
  kind: 'read-only' | 'writable' | 'hidden' | 'masked' | 'link';
  source?: string;
}

/** Features that some versions of bubblewrap, kernels and containers lack. */
export interface SandboxLocks {
  /** No further user namespaces can be made. */
  namespaces: boolean;
  /** The filter of `syscall-filter.ts`, on `FILTER_FD`. */
  syscalls: boolean;
}

/** Where bubblewrap reads the filter of system calls. */
export const FILTER_FD = 4;

export interface SandboxPlan {
  mounts: readonly SandboxMount[];
  /** The host's network, loopback included; without it there is only an empty loopback of its own. */
  network: boolean;
  /** Whether commands run with the user id of root. */
  isRoot: boolean;
  locks: SandboxLocks;
  /** Size limit of the file systems in memory (/dev/shm). */
  memoryFileBytes: number;
}

/** Room for mount points only; making such a folder read-only as well would cost 0.2 ms each. */
const HIDDEN_BYTES = '65536';
const NAMESPACES = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'];

/** Returns all arguments that make the sandbox: `bwrap <these> --chdir <folder> -- <command>`. */
export function buildSandboxArguments(plan: SandboxPlan): string[] {
  return [
    NAMESPACES,
    plan.locks.namespaces ? ['--disable-userns'] : [],
    plan.locks.syscalls ? ['--seccomp', String(FILTER_FD)] : [],
    plan.network ? [] : ['--unshare-net'],
    // A name that resolves: programs look up that of their own machine.
    ['--hostname', 'localhost'],
    ['--die-with-parent', '--new-session'],
    // As root bubblewrap would keep all capabilities inside.
    ['--cap-drop', 'ALL'],
    ['--proc', '/proc'],
    // Root may write kernel settings by its user id alone, and bubblewrap covers them only if it could write them itself.
    plan.isRoot ? ['--remount-ro', '/proc'] : [],
    ['--dev', '/dev'],
    ['--size', String(plan.memoryFileBytes), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ['--remount-ro', '/dev'],
    ...plan.mounts.toSorted(byDepth).map((mount) => mountArguments(mount)),
    // The empty root is in memory, and nothing limits how much.
    ['--remount-ro', '/'],
  ].flat();
}

function mountArguments({ kind, path, source = path }: SandboxMount): string[] {
  const byKind = {
    'read-only': ['--ro-bind', source, path],
    writable: ['--bind', source, path],
    hidden: ['--size', HIDDEN_BYTES, '--perms', '0555', '--tmpfs', path],
    // A device on a bind mount cannot be opened: the mount forbids devices.
    masked: ['--ro-bind', '/dev/null', path],
    link: ['--symlink', source, path],
  };
  return byKind[kind];
}

const strength: Record<SandboxMount['kind'], number> = {
  link: 0,
  hidden: 0,
  writable: 1,
  'read-only': 2,
  masked: 3,
};

function byDepth(a: SandboxMount, b: SandboxMount): number {
  const depth = (path: string) => path.split('/').filter(Boolean).length;
  return depth(a.path) - depth(b.path) || strength[a.kind] - strength[b.kind] || (a.path < b.path ? -1 : 1);
}
