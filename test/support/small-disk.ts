/**
 * A file system of its own with a few megabytes, at a folder that only the programs started with `wrapper` see it in: a
 * tmpfs in a user and mount namespace, which a waiting process holds. Needs the component `small disks`.
 */
import { afterEach } from '@jest/globals';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from './child-program.ts';

const holders = new Set<ChildProcess>();
afterEach(() => {
  for (const holder of holders) holder.kill('SIGKILL');
  holders.clear();
});

export interface SmallDisk {
  /** Words to put before a command, so that it finds the file system at the folder. */
  readonly wrapper: readonly string[];
  /** Where this process finds the same files. */
  readonly path: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Makes it large. */
  makeRoom(): void;
  makeReadOnly(): void;
}

const HOLD = 'mount -t tmpfs -o size="$2" tmpfs "$1" && echo mounted && exec sleep 100000';
const HERE = 'cd "$0" && exec "$@"';

/** `size` as `mount` takes it, such as `4m`. The folder is made; what is in it is gone with the test. */
export async function smallDisk(folder: string, size: string): Promise<SmallDisk> {
  mkdirSync(folder, { recursive: true });
  const holder = spawn('unshare', ['-rm', 'sh', '-c', HOLD, 'sh', folder, size], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  holders.add(holder);
  await outputOf(holder, 'mounted');
  const enter = ['nsenter', `--target=${holder.pid}`, '--user', '--mount', '--preserve-credentials', '--'];
  const path = join(`/proc/${holder.pid}/root`, folder);
  const inside = ([command = '', ...args]: string[]) => void execFileSync(command, args);
  return {
    // The folder of the caller is another file system's to the namespace.
    wrapper: [...enter, 'sh', '-c', HERE, process.cwd()],
    path,
    fill: () => fill(join(path, 'ballast')),
    makeRoom: () => inside([...enter, 'mount', '-o', 'remount,size=64m', folder]),
    makeReadOnly: () => inside([...enter, 'mount', '-o', 'remount,ro', folder]),
  };
}

function fill(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (const sizeBytes of [65_536, 4_096, 1]) writeUntilFull(file, Buffer.alloc(sizeBytes, 1));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, block: Buffer): void {
  for (;;) {
    try {
      if (writeSync(file, block) < block.length) return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
      throw error;
    }
  }
}
