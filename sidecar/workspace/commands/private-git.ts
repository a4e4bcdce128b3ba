/**
 * Creates private git folders for the commands of one workspace. `git add`, `mv`, `stash` and `commit` write to the index, refs and
 * objects, so commands see copies of these at the usual paths. The objects of the repository are readable through the copies. Nothing on
 * the host reads the copies, so hooks and settings in them have no effect elsewhere.
 */
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { exceedsSize } from '../files/folder-size.ts';
import { readSmallFile } from '../../base/system/small-file.ts';
import { errorCode } from '../../base/values/errors.ts';
import { isWithin } from './host-paths.ts';
import type { SandboxMount } from './sandbox.ts';

const [MAX_BYTES, MAX_FILES] = [128 * 1024 ** 2, 10_000];
/**
 * Maximum size of a folder, other than refs, that is copied. A larger folder, for example of Git LFS or of submodules, is shown without a
 * copy.
 */
const [MAX_FOLDER_BYTES, MAX_FOLDER_FILES] = [16 * 1024 ** 2, 2_000];
/** Name of the folder that shows the repository's own objects in the copy. */
const SHARED_OBJECTS_FOLDER = 'shared-objects';

/**
 * Returns the mounts that show `gitDirs`, with the copies below the new folder `folder`. Folders without a repository, or with too much
 * besides its objects, are shown read-only. Rejects only if the disk fails.
 */
export async function mountPrivateGit(
  gitDirs: readonly string[],
  { folder, root }: { folder: string; root: string },
): Promise<SandboxMount[]> {
  await mkdir(folder);
  const outermost = gitDirs.filter(
    (path) => !gitDirs.some((other) => other !== path && isWithin(path, other)),
  );
  const mounts = outermost.map(async (path, index): Promise<SandboxMount[]> => {
    const copy = join(folder, String(index));
    const large = await copyRepository(path, copy, root);
    if (large === undefined) return [{ path, kind: 'read-only' }];
    return [
      { path, kind: 'writable', source: copy },
      { path: join(path, SHARED_OBJECTS_FOLDER), kind: 'read-only', source: join(path, 'objects') },
      ...large.map((name) => ({ path: join(path, name), kind: 'read-only' as const })),
    ];
  });
  return (await Promise.all(mounts)).flat();
}

/** Copies a repository without its objects. Returns the folders that are too large to copy; undefined if there is no copy. */
async function copyRepository(from: string, to: string, root: string): Promise<string[] | undefined> {
  const entries = await readdir(from, { withFileTypes: true }).catch(() => []);
  if (!entries.some((entry) => entry.name === 'objects' && entry.isDirectory())) return undefined;
  const excludedNames = ['objects', 'worktrees'];
  const largeFolders: string[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory() || [...excludedNames, 'refs', 'logs'].includes(entry.name)) continue;
    if (await exceedsSize([join(from, entry.name)], MAX_FOLDER_BYTES, MAX_FOLDER_FILES))
      largeFolders.push(entry.name);
  }
  excludedNames.push(...largeFolders);
  const names = entries.map(({ name }) => name).filter((name) => !excludedNames.includes(name));
  const ownWorktrees = await listWorktreesAt(root, join(from, 'worktrees'));
  const copiedNames = [...names, ...ownWorktrees.map((name) => join('worktrees', name))];
  if (
    await exceedsSize(
      copiedNames.map((name) => join(from, name)),
      MAX_BYTES,
      MAX_FILES,
    )
  )
    return undefined;
  for (const name of ['objects/info', 'objects/pack', 'worktrees', SHARED_OBJECTS_FOLDER, ...largeFolders])
    await mkdir(join(to, name), { recursive: true });
  for (const name of ownWorktrees)
    await copyContent(join(from, 'worktrees', name), join(to, 'worktrees', name));
  await copyContent(from, to, excludedNames);
  await writeFile(join(to, 'objects/info/alternates'), `../${SHARED_OBJECTS_FOLDER}\n`);
  return largeFolders;
}

/** Returns the names of the worktrees at `root`; all others belong to other tasks. */
async function listWorktreesAt(root: string, folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const linkTexts = await Promise.all(names.map((name) => readSmallFile(join(folder, name, 'gitdir'))));
  return names.filter((name, index) => {
    const link = linkTexts[index]?.trim();
    return link !== undefined && dirname(resolve(folder, name, link)) === root;
  });
}

/** Copies files, folders and links. Files that other programs lock or remove during the copy are skipped. */
async function copyContent(from: string, to: string, excludedNames: readonly string[] = []): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (excludedNames.includes(entry.name) || entry.name.endsWith('.lock')) continue;
    try {
      if (entry.isDirectory()) await copyContent(source, target);
      else if (entry.isFile()) await copyFile(source, target, constants.COPYFILE_FICLONE);
      else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    } catch (error) {
      if (!['ENOENT', 'EACCES'].includes(errorCode(error) ?? '')) throw error;
    }
  }
}
