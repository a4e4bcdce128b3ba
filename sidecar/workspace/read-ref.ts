/**
 * Refs of a repository on this machine, read from its files: starting git for one line costs as much as the line is
 * worth a hundred times. Only what is plain is answered (a branch, or what is checked out); everything else is undefined, and
 * git is asked. The files are the repository's own and may be hostile: bounded, no links, nothing but regular files.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalRepository } from './repository-source.ts';

type RefPlaces = Pick<LocalRepository, 'gitDir' | 'commonDir'>;

const MAX_REF_BYTES = 4096;
const MAX_PACKED_BYTES = 4 * 1024 * 1024;
const fullId = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
/** Refs whose value is a commit and no tag, and whose name is a path that stays where it is. */
const branchName = /^refs\/(heads|remotes)\/(?!.*(\.\.|\/\.|\/\/))[\w./+@=,-]+$/;

/** The commit that `HEAD` or a full branch name stands for; whether the commit is there is not looked at. */
export async function readRef(places: RefPlaces, name: string): Promise<string | undefined> {
  if (name !== 'HEAD') return readBranch(places, name);
  const head = (await readSmall(join(places.gitDir, 'HEAD'), MAX_REF_BYTES))?.trimEnd() ?? '';
  if (fullId.test(head)) return head;
  const target = /^ref: (\S+)$/.exec(head)?.[1];
  return target === undefined ? undefined : readBranch(places, target);
}

async function readBranch({ commonDir }: RefPlaces, name: string): Promise<string | undefined> {
  if (!branchName.test(name)) return undefined;
  const loose = (await readSmall(join(commonDir, name), MAX_REF_BYTES))?.trimEnd();
  if (loose !== undefined) return fullId.test(loose) ? loose : undefined;
  const packed = await readSmall(join(commonDir, 'packed-refs'), MAX_PACKED_BYTES);
  const line = packed?.split('\n').find((one) => one.endsWith(` ${name}`));
  const id = line?.slice(0, -name.length - 1) ?? '';
  return fullId.test(id) ? id : undefined;
}

/** The text of a regular file; undefined for everything else, and for what is larger than `maxBytes`. */
export async function readSmall(path: string, maxBytes: number): Promise<string | undefined> {
  // Neither followed nor waited for, should it be a link or a pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= maxBytes ? await handle.readFile('utf8') : undefined;
  } catch {
    // It cannot be read: git says why, where it matters.
    return undefined;
  } finally {
    await handle.close();
  }
}
