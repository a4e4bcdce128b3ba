/** The task's scratch folder: its home and its temporary files, outside the workspace, removed at the end. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scratch {
  /** Seen by sandboxed commands as /tmp. */
  temporary: string;
  /** Lies in `temporary`, so that one mount shows both. */
  home: string;
  remove(): Promise<void>;
}

export const HOME_NAME = '.home';

export async function makeScratch(parent = tmpdir()): Promise<Scratch> {
  const folder = await mkdtemp(join(parent, 'ollama-sidecar-'));
  const home = join(folder, HOME_NAME);
  await mkdir(home, { mode: 0o700 });
  return {
    temporary: folder,
    home,
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
