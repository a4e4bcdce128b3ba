/**
 * The part of /etc that commands see: files that programs of all kinds read. Other files there are settings of services, secrets among
 * them. Small files are copied once for each workspace and shown as links into one folder, because a mount for each of
 * them would take longer than most commands.
 */
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRoot, systemMount } from './host-paths.ts';
import type { SandboxMount } from './sandbox.ts';

const SETTINGS = [
  'alternatives alpine-release bash.bashrc ca-certificates ca-certificates.conf crypto-policies debian_version',
  'default/locale environment.d fedora-release fonts gai.conf gitconfig group host.conf hosts inputrc java ld.so.cache',
  'ld.so.conf ld.so.conf.d locale.alias locale.conf localtime login.defs lsb-release magic magic.mime manpath.config',
  'maven mime.types nanorc networks nsswitch.conf os-release passwd perl pki profile profile.d protocols python3',
  'redhat-release resolv.conf rpc services shells skel ssl system-release terminfo timezone vimrc xdg X11',
].flatMap((line) => line.split(' '));
/** These follow the network that the machine is in, so each command gets them as they are then. */
const CHANGING = new Set(['hosts', 'resolv.conf']);
/** Where commands see the copies. */
const PLACE = '/.settings';

/** The mounts that show /etc; the copies are put into `folder`, which must not be there. Throws where it cannot be made. */
export function settingsMounts(folder: string): SandboxMount[] {
  mkdirSync(folder);
  const mounts = SETTINGS.flatMap((name): SandboxMount | [] => {
    const mount = systemMount(join('/etc', name));
    if (mount?.kind !== 'read-only' || CHANGING.has(name)) return mount ?? [];
    const stats = statSync(mount.path, { throwIfNoEntry: false });
    if (!stats?.isFile()) return mount;
    // A command that runs as root is shown no more than another user is.
    if (isRoot() && (stats.mode & 0o004) === 0) return [];
    return copied(name, folder) ? { path: mount.path, kind: 'link', source: join(PLACE, name) } : mount;
  });
  return [{ path: PLACE, kind: 'read-only', source: folder }, ...mounts];
}

function copied(name: string, folder: string): boolean {
  const place = join(folder, name);
  try {
    mkdirSync(dirname(place), { recursive: true });
    copyFileSync(join('/etc', name), place);
    return true;
  } catch {
    // It is being replaced just now, or the disk is full: then it is shown as it is.
    return false;
  }
}
