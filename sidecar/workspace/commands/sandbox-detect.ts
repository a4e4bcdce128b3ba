/**
 * Detects whether bubblewrap works on this machine, by running it once as for a command. If it does not work, the reason and the remedy are
 * returned.
 */
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text as streamText } from 'node:stream/consumers';
import { launch } from '../../base/system/launcher.ts';
import { errorMessage } from '../../base/values/errors.ts';
import { findExecutable } from './find-executable.ts';
import { isRoot, buildSystemMounts } from './host-paths.ts';
import { buildSandboxArguments, type SandboxFeatures } from './sandbox.ts';
import { getFilterPath, buildSyscallFilter } from './syscall-filter.ts';

export type SandboxSupport =
  { available: true; path: string; features: SandboxFeatures } | { available: false; reason: string };

const PROBE_TIMEOUT_MS = 10_000;
const STANDARD_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin'];
/** Results of the test, by the PATH in which bubblewrap is searched. */
const probes = new Map<string, Promise<SandboxSupport>>();

/**
 * Returns whether bubblewrap works, or the reason why not. Tests it once for each `PATH`. Rejects with the code `temporary_folder` if no
 * temporary folder can be created.
 */
export function detectSandbox(): Promise<SandboxSupport> {
  const searchPath = process.env.PATH ?? '';
  const probe = probes.get(searchPath) ?? probeSandbox(searchPath);
  probes.set(searchPath, probe);
  return probe;
}

/** Tests whether the bubblewrap found in `searchPath` or in a usual folder works. */
export async function probeSandbox(searchPath: string): Promise<SandboxSupport> {
  if (process.platform !== 'linux') {
    return { available: false, reason: `bubblewrap exists only on Linux, this is ${process.platform}` };
  }
  const folders = [...searchPath.split(':').filter((folder) => folder.startsWith('/')), ...STANDARD_FOLDERS];
  const path = findExecutable(folders.map((folder) => join(folder, 'bwrap')));
  if (!path) return { available: false, reason: 'bubblewrap is not installed (apt-get install bubblewrap)' };
  const filter = buildSyscallFilter();
  let problem = '';
  for (const [blocksUserNamespaces, usesFilter] of FEATURE_SETS) {
    const features = { blocksUserNamespaces, filtersSyscalls: usesFilter && filter !== undefined };
    const probeError = await findProbeError(path, features);
    if (probeError === undefined) return { available: true, path, features };
    problem = probeError;
  }
  return { available: false, reason: explainProbeError(problem) };
}

/** Feature sets to try, strictest first: old versions of bubblewrap lack `--disable-userns`, and some containers allow no filters. */
const FEATURE_SETS = [
  [true, true],
  [false, true],
  [true, false],
  [false, false],
] as const;

/** Returns the error of bubblewrap with these features; undefined if it works. */
async function findProbeError(path: string, features: SandboxFeatures): Promise<string | undefined> {
  const args = buildSandboxArguments({
    mounts: buildSystemMounts(),
    network: false,
    isRoot: isRoot(),
    features,
    maxMemoryFileBytes: 2 ** 20,
  });
  const filter = features.filtersSyscalls ? buildSyscallFilter() : undefined;
  const probe = launch({
    file: path,
    args: [...args, '--', 'true'],
    cwd: '/',
    env: process.env,
    descriptors: ['ignore', 'ignore', 'pipe', 'ignore', filter ? getFilterPath(filter) : 'ignore'],
  });
  const timer = setTimeout(() => probe.signal('SIGKILL'), PROBE_TIMEOUT_MS);
  try {
    const [message, { exitCode, signal }] = await Promise.all([
      streamText(probe.outputs[2] as Readable),
      probe.exited,
    ]);
    return exitCode === 0 ? undefined : message.trim() || `it exited with ${exitCode ?? signal}`;
  } catch (error) {
    return errorMessage(error);
  } finally {
    clearTimeout(timer);
    probe.release();
  }
}

function explainProbeError(message: string): string {
  if (/mount proc/i.test(message)) {
    return `bubblewrap is not allowed to mount /proc here (${message}); this container hides parts of its own /proc: start the container with --security-opt systempaths=unconfined (Kubernetes: procMount: Unmasked)`;
  }
  if (/user namespace|uid map|Operation not permitted|Permission denied/i.test(message)) {
    return `bubblewrap is not allowed to create namespaces here (${message}); allow user namespaces with sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0, or use a container that permits them`;
  }
  if (/Unknown option/i.test(message)) return `bubblewrap is too old (${message}); 0.8 or newer is needed`;
  return `bubblewrap does not work here: ${message}`;
}
