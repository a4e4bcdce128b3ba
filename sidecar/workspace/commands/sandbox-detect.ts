/**
 * Detects whether bubblewrap works on this machine, by running it once as for a command. If it does not work, the reason and the remedy are
 * returned.
 */
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text as streamText } from 'node:stream/consumers';
import { launch } from '../../base/system/launcher.ts';
import { errorMessage } from '../../base/values/errors.ts';
import { firstExecutable } from './executable.ts';
import { isRoot, systemMounts } from './host-paths.ts';
import { buildSandboxArguments, type SandboxLocks } from './sandbox.ts';
import { filterFile, syscallFilter } from './syscall-filter.ts';

export type SandboxSupport =
  { available: true; path: string; locks: SandboxLocks } | { available: false; reason: string };

const PROBE_TIMEOUT_MS = 10_000;
const USUAL_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin'];
/** Results by the search path of bubblewrap. */
const probes = new Map<string, Promise<SandboxSupport>>();

/** Reports whether bubblewrap works, tested once for each `PATH`. Rejects with the code `temporary_folder`. */
export function detectSandbox(): Promise<SandboxSupport> {
  const searchPath = process.env.PATH ?? '';
  const probe = probes.get(searchPath) ?? probeSandbox(searchPath);
  probes.set(searchPath, probe);
  return probe;
}

/** Tests whether bubblewrap of `searchPath` or a usual folder works. */
export async function probeSandbox(searchPath: string): Promise<SandboxSupport> {
  if (process.platform !== 'linux') {
    return { available: false, reason: `bubblewrap exists only on Linux, this is ${process.platform}` };
  }
  const folders = [...searchPath.split(':').filter((folder) => folder.startsWith('/')), ...USUAL_FOLDERS];
  const path = firstExecutable(folders.map((folder) => join(folder, 'bwrap')));
  if (!path) return { available: false, reason: 'bubblewrap is not installed (apt-get install bubblewrap)' };
  const filter = syscallFilter();
  let problem = '';
  for (const [namespaces, syscalls] of LOCKS) {
    const locks = { namespaces, syscalls: syscalls && filter !== undefined };
    const refused = await refusal(path, locks);
    if (refused === undefined) return { available: true, path, locks };
    problem = refused;
  }
  return { available: false, reason: explain(problem) };
}

/** Strictest first: old versions lack `--disable-userns`, and some containers allow no filters. */
const LOCKS = [
  [true, true],
  [false, true],
  [true, false],
  [false, false],
] as const;

/** Returns the error of bubblewrap with these locks; undefined if it works. */
async function refusal(path: string, locks: SandboxLocks): Promise<string | undefined> {
  const args = buildSandboxArguments({
    mounts: systemMounts(),
    network: false,
    isRoot: isRoot(),
    locks,
    memoryFileBytes: 2 ** 20,
  });
  const filter = locks.syscalls ? syscallFilter() : undefined;
  const probe = launch({
    file: path,
    args: [...args, '--', 'true'],
    cwd: '/',
    env: process.env,
    descriptors: ['ignore', 'ignore', 'pipe', 'ignore', filter ? filterFile(filter) : 'ignore'],
  });
  const timer = setTimeout(() => probe.signal('SIGKILL'), PROBE_TIMEOUT_MS);
  try {
    const [message, { exitCode, signal }] = await Promise.all([
      streamText(probe.outputs[2] as Readable),
      probe.exited,
    ]);
    return exitCode === 0 ? undefined : message.trim() || `it ended with ${exitCode ?? signal}`;
  } catch (error) {
    return errorMessage(error);
  } finally {
    clearTimeout(timer);
    probe.release();
  }
}

function explain(message: string): string {
  if (/mount proc/i.test(message)) {
    return `bubblewrap is not allowed to mount /proc here (${message}); this container hides parts of its own: start it with --security-opt systempaths=unconfined (Kubernetes: procMount: Unmasked)`;
  }
  if (/user namespace|uid map|Operation not permitted|Permission denied/i.test(message)) {
    return `bubblewrap is not allowed to create namespaces here (${message}); allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0, or a container that permits them`;
  }
  if (/Unknown option/i.test(message)) return `bubblewrap is too old (${message}); 0.8 or newer is needed`;
  return `bubblewrap does not work here: ${message}`;
}
