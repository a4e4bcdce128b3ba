/**
 * Makes the folders outside of the workspace that a task's commands use: a home, temporary files and copied settings. They are removed at
 * the end.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../base/system/remove-folder.ts';
import { makeTemporaryFolder } from '../../base/system/temporary-folder.ts';

export interface ScratchFolders {
  /** Parent of all scratch folders of the task. */
  folder: string;
  /** Folder that sandboxed commands see as /tmp. */
  temporaryFolder: string;
  /** Home folder of commands. It lies in `temporaryFolder`, so that one mount shows both. */
  home: string;
  /** Folders that sandboxed commands see at `/run` and `/var/tmp`. */
  folderByPath: Readonly<Record<'/run' | '/var/tmp', string>>;
  /** Path of the folder for the shown part of /etc, which is made when it is needed. */
  settingsFolder: string;
  /** Path of the folder for the writable layers over shared folders, which is made when it is needed. */
  layersFolder: string;
  /** Path of the folder for the private git folders of commands, which is made when it is needed. */
  gitFolder: string;
  /** Path of the folder for further folders that commands see as empty, which is made when it is needed. */
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

/** Makes the scratch folders of a task. Their name contains `mark`, by which `removeMarkedScratch` finds them. */
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
    temporaryFolder: temporary,
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
