/** The folders of a task's commands outside of the workspace: a home, temporary files and copied settings. Removed at the end. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../base/system/remove-folder.ts';
import { makeTemporaryFolder } from '../../base/system/temporary-folder.ts';

export interface Scratch {
  /** All of it. */
  folder: string;
  /** Seen by sandboxed commands as /tmp. */
  temporary: string;
  /** Lies in `temporary`, so that one mount shows both. */
  home: string;
  /** Seen by sandboxed commands under these paths. */
  places: Readonly<Record<'/run' | '/var/tmp', string>>;
  /** For what is shown of /etc; not made yet. */
  settings: string;
  /** For the writable layers over shared folders; not made yet. */
  layers: string;
  /** For the git folders of commands; not made yet. */
  git: string;
  /** For other folders that commands have empty; not made yet. */
  own: string;
  remove(): Promise<void>;
}

const HOME_NAME = '.home';
/** The home of sandboxed commands, as they see it. */
export const COMMANDS_HOME = join('/tmp', HOME_NAME);

/**
 * Settings of git as a user's own: any repository's come before them. Names are shown in their own letters, since a model reads
 * `git diff` as a user does.
 */
const GIT_SETTINGS = `[user]
\tname = ollama-sidecar
\temail = ollama-sidecar@localhost
[init]
\tdefaultBranch = main
[core]
\tquotePath = false
`;
const PREFIX = 'ollama-sidecar-scratch-';

/** Makes the scratch folders of a task. `mark`: names their owner for `removeMarkedScratch`. */
export async function makeScratch(mark: string, parent = tmpdir()): Promise<Scratch> {
  const folder = makeTemporaryFolder(`${PREFIX}${mark}-`, parent);
  const temporary = join(folder, 'tmp');
  const home = join(temporary, HOME_NAME);
  await mkdir(home, { mode: 0o700, recursive: true });
  await writeFile(join(home, '.gitconfig'), GIT_SETTINGS);
  const places = { '/run': join(folder, 'run'), '/var/tmp': join(folder, 'var') };
  for (const place of Object.values(places)) await mkdir(place);
  return {
    folder,
    places,
    temporary,
    home,
    settings: join(folder, 'etc'),
    layers: join(folder, 'layers'),
    git: join(folder, 'git'),
    own: join(folder, 'own'),
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
