/**
 * Makes the folders of a task's commands outside of the workspace: a home, temporary files and copied settings. They are removed at the
 * end.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../base/system/remove-folder.ts';
import { makeTemporaryFolder } from '../../base/system/temporary-folder.ts';

export interface ScratchFolders {
  /** The parent of all these folders. */
  folder: string;
  /** Seen by sandboxed commands as /tmp. */
  temporary: string;
  /** Lies in `temporary`, so that one mount shows both. */
  home: string;
  /** Folders that sandboxed commands see under these paths. */
  folderByPath: Readonly<Record<'/run' | '/var/tmp', string>>;
  /** Folder for the shown part of /etc; not made yet. */
  settingsFolder: string;
  /** Folder for the writable layers over shared folders; not made yet. */
  layersFolder: string;
  /** Folder for the git folders of commands; not made yet. */
  gitFolder: string;
  /** Folder for other folders that commands see as empty; not made yet. */
  emptyFolders: string;
  remove(): Promise<void>;
}

const HOME_NAME = '.home';
/** The home of sandboxed commands, as they see it. */
export const COMMANDS_HOME = join('/tmp', HOME_NAME);

/**
 * Git settings at user level; settings of a repository override them. File names are shown unescaped, since a model reads `git diff` as a
 * user does.
 */
const GIT_SETTINGS = `[user]
\tname = ollama-sidecar
\temail = ollama-sidecar@localhost
[init]
\tdefaultBranch = main
[core]
\tquotePath = false
`;
const SCRATCH_PREFIX = 'ollama-sidecar-scratch-';

/** Makes the scratch folders of a task. `mark` identifies their owner for `removeMarkedScratch`. */
export async function makeScratch(mark: string, parent = tmpdir()): Promise<ScratchFolders> {
  const folder = makeTemporaryFolder(`${SCRATCH_PREFIX}${mark}-`, parent);
  const temporary = join(folder, 'tmp');
  const home = join(temporary, HOME_NAME);
  await mkdir(home, { mode: 0o700, recursive: true });
  await writeFile(join(home, '.gitconfig'), GIT_SETTINGS);
  const folderByPath = { '/run': join(folder, 'run'), '/var/tmp': join(folder, 'var') };
  for (const path of Object.values(folderByPath)) await mkdir(path);
  return {
    folder,
    folderByPath,
    temporary,
    home,
    settingsFolder: join(folder, 'etc'),
    layersFolder: join(folder, 'layers'),
    gitFolder: join(folder, 'git'),
    emptyFolders: join(folder, 'own'),
    remove: () => removeFolder(folder),
  };
}

/** Removes the scratch folders of a killed worker, whose mark begins with `markPrefix`. Rejects with the first error. */
export async function removeMarkedScratch(markPrefix: string, parent = tmpdir()): Promise<void> {
  const leftovers = (await readdir(parent)).filter((name) => name.startsWith(SCRATCH_PREFIX + markPrefix));
  const removals = await Promise.allSettled(leftovers.map((name) => removeFolder(join(parent, name))));
  const failed = removals.find((removal) => removal.status === 'rejected');
  if (failed) throw failed.reason;
}
