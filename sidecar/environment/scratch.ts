/** The task's scratch folder: its home and its temporary files, outside the workspace, removed at the end. */
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../system/remove-folder.ts';

export interface Scratch {
  /** Seen by sandboxed commands as /tmp. */
  temporary: string;
  /** Lies in `temporary`, so that one mount shows both. */
  home: string;
  remove(): Promise<void>;
}

export const HOME_NAME = '.home';

const PREFIX = 'ollama-sidecar-scratch-';

/** `mark` says whose it is (see `removeMarkedScratch`). */
export async function makeScratch(mark: string, parent = tmpdir()): Promise<Scratch> {
  const folder = await mkdtemp(join(parent, `${PREFIX}${mark}-`));
  const home = join(folder, HOME_NAME);
  await mkdir(home, { mode: 0o700 });
  return {
    temporary: folder,
    home,
    remove: () => removeFolder(folder),
  };
}

/** Removes the scratch folders whose mark begins with `markPrefix`, which a killed worker left. Rejects with the first that stays. */
export async function removeMarkedScratch(markPrefix: string, parent = tmpdir()): Promise<void> {
  const left = (await readdir(parent)).filter((name) => name.startsWith(PREFIX + markPrefix));
  const removed = await Promise.allSettled(left.map((name) => removeFolder(join(parent, name))));
  const failed = removed.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}
