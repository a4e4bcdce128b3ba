/**
 * Whether bubblewrap works on this machine, found out once by running it the way commands are run; and if not,
 * why not and what to do.
 */
import { join } from 'node:path';
import { execa } from 'execa';
import { errorMessage } from '../values/errors.ts';
import { firstExecutable } from './executable.ts';
import { isRoot, systemMounts } from './host-paths.ts';
import { buildSandboxArguments } from './sandbox.ts';

export type SandboxSupport = { available: true; path: string } | { available: false; reason: string };

const PROBE_TIMEOUT_MS = 10_000;
const USUAL_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin'];
let probe: Promise<SandboxSupport> | undefined;

/** The answer is kept for the life of the process. Never rejects. */
export function detectSandbox(): Promise<SandboxSupport> {
  probe ??= probeSandbox(process.env.PATH ?? '');
  return probe;
}

/** As `detectSandbox`, looked up again, in the folders of `searchPath` and the usual ones. */
export async function probeSandbox(searchPath: string): Promise<SandboxSupport> {
  if (process.platform !== 'linux') {
    return { available: false, reason: `bubblewrap exists only on Linux, this is ${process.platform}` };
  }
  const folders = [...searchPath.split(':').filter((folder) => folder.startsWith('/')), ...USUAL_FOLDERS];
  const path = firstExecutable(folders.map((folder) => join(folder, 'bwrap')));
  if (!path) return { available: false, reason: 'bubblewrap is not installed (apt-get install bubblewrap)' };
  const args = buildSandboxArguments({
    mounts: systemMounts(),
    network: false,
    isRoot: isRoot(),
    memoryFileBytes: 2 ** 20,
  });
  const ran = await execa(path, [...args, '--', 'true'], { timeout: PROBE_TIMEOUT_MS, reject: false });
  if (!ran.failed) return { available: true, path };
  return { available: false, reason: explain(ran.stderr.trim() || errorMessage(ran)) };
}

function explain(message: string): string {
  if (/user namespace|uid map|Operation not permitted|Permission denied/i.test(message)) {
    return `bubblewrap may not make namespaces here (${message}); allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0, or a container that permits them`;
  }
  if (/Unknown option/i.test(message)) return `bubblewrap is too old (${message}); 0.8 or newer is needed`;
  return `bubblewrap does not work here: ${message}`;
}
