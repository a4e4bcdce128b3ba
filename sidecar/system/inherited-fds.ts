/**
 * Descriptors that this process got from its parent without close-on-exec. A command would inherit them, and an
 * open folder is a way out of any sandbox; the spawn port gives it /dev/null instead.
 */
import { readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;
const HIGHEST = 1024;

/** Descriptors above 2 that a child would inherit; empty where there is no /proc. */
export function findInheritedFds(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd > 2 && fd < HIGHEST && isInherited(fd));
  } catch {
    return [];
  }
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
