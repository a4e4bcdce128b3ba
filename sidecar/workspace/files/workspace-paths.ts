/**
 * Confines paths to the workspace. A path is resolved link by link to its canonical form, refused if that is outside of the workspace,
 * opened without following links, and checked again after it is open. Therefore nothing outside is read or written, and nothing protected
 * is written, even if a command replaces a folder in between. Folders remain open, and their entries are named through the descriptor, as
 * with openat(2).
 *
 * A folder that commands see at a path of the workspace (`ShownFolder`) is available to file methods, too: the path keeps its name in the
 * workspace, but the shown folder is checked and opened.
 */
import { constants, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { errorCode } from '../../base/values/errors.ts';
import { toEnvironmentError, EnvironmentError } from './environment-error.ts';
import { createProtection } from './protected-paths.ts';
import { guessPath } from './suggest-paths.ts';

const MAX_LINKS = 40;
const MAX_PATH_CHARS = 4096;
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A folder of the host that is shown, read-only, at `path` of the workspace. Both are absolute. */
export interface MountedFolder {
  source: string;
  path: string;
}

/** A path that was inside the workspace when it was resolved. Only `WorkspacePaths` creates it. */
export interface ResolvedPath {
  /** Canonical path, without links and `..`. */
  absolute: string;
  /** Path relative to the folder in which relative paths begin, with `/`; `.` for that folder itself. */
  shownPath: string;
  /** The entry at the path, links not followed; undefined if there is none. */
  stats: Stats | undefined;
}

/** An open folder. `entry(name)` returns a path of an entry that no link can redirect, even if a link replaces a parent folder. */
export interface OpenFolder {
  entry(name: string): string;
  close(): Promise<void>;
}

export interface PathOptions {
  /** Globs of further paths that are never written, relative to the workspace. */
  protectedPaths?: readonly string[] | undefined;
  /** Folder in the workspace to which relative paths refer. Default: the workspace. */
  subfolder?: string | undefined;
}

/** Resolves all paths of one workspace. Methods reject with `EnvironmentError`. */
export class WorkspacePaths {
  /** The real path of the workspace. */
  readonly root: string;
  /** Folder to which relative paths refer: the workspace, or a folder in it. */
  readonly startFolder: string;
  /** Returns the pattern that protects a path of the workspace from being written, if any. */
  readonly protectionOf: (path: string) => string | undefined;
  readonly #givenRoot: string;
  readonly #subfolder: string;
  readonly #shownFolders: readonly MountedFolder[];

  private constructor(
    root: string,
    givenRoot: string,
    shownFolders: readonly MountedFolder[],
    { protectedPaths, subfolder = '' }: PathOptions,
  ) {
    this.root = root;
    this.startFolder = join(root, subfolder);
    this.#subfolder = subfolder;
    this.protectionOf = createProtection(protectedPaths);
    this.#givenRoot = givenRoot;
    this.#shownFolders = shownFolders;
  }

  static async open(
    workspace: string,
    shownFolders: readonly MountedFolder[] = [],
    options: PathOptions = {},
  ): Promise<WorkspacePaths> {
    const givenRoot = resolve(workspace);
    try {
      const root = await realpath(givenRoot);
      if ((await stat(root)).isDirectory()) {
        const paths = new WorkspacePaths(
          root,
          givenRoot,
          await resolveShownFolders(shownFolders, root, givenRoot),
          options,
        );
        await paths.#createFolders(paths.startFolder, '.');
        await (await paths.openFolder(paths.startFolder, '.')).close();
        return paths;
      }
    } catch (error) {
      throw toEnvironmentError(error, `The workspace ${workspace}`);
    }
    throw new EnvironmentError('NOT_A_DIRECTORY', `The workspace ${workspace} is not a directory`);
  }

  /**
   * Resolves `path` (relative, or absolute inside the workspace), including symbolic links. With `keepLastLink` a link as the last segment
   * is the result itself, although it may not lead outside.
   */
  async resolve(path: string, options: { keepLastLink?: boolean } = {}): Promise<ResolvedPath> {
    checkPathText(path);
    const lexicalPath = this.#resolveLexically(path);
    const target = await this.#followLinks(lexicalPath).catch(async (error: unknown) => {
      throw this.#contains(lexicalPath)
        ? toEnvironmentError(error, path)
        : await this.#createOutsideError(path, lexicalPath);
    });
    if (!this.#contains(target.absolute)) throw await this.#createOutsideError(path, lexicalPath);
    if (!options.keepLastLink) return this.#toResolvedPath(target);
    const parent = await this.#followLinks(dirname(lexicalPath));
    const absolute = join(parent.absolute, basename(lexicalPath));
    if (lexicalPath === this.root || !this.#contains(absolute)) return this.#toResolvedPath(target);
    return this.#toResolvedPath({ absolute, stats: await lstatIfExists(this.toHostPath(absolute)) });
  }

  /** Resolves a path for writing. Rejects if the path is protected or in a shown folder. */
  async resolveToWrite(path: string, options?: { keepLastLink?: boolean }): Promise<ResolvedPath> {
    const target = await this.resolve(path, options);
    const folder = this.findShownFolder(target.absolute);
    const pattern = this.protectionOf(this.toRootRelative(target.absolute));
    if (!folder && pattern === undefined) return target;
    const refusal = folder
      ? `${this.toShownPath(folder.path)} is shared with the source repository and must not be written; change files of the project instead`
      : `${target.shownPath} is protected (${pattern}) and must not be written; leave it unchanged, and report in your answer if it needs a change`;
    throw new EnvironmentError('PATH_PROTECTED', refusal);
  }

  /** Returns the shown folder that contains `absolute`, if any. */
  findShownFolder(absolute: string): MountedFolder | undefined {
    return this.#shownFolders.find(({ path }) => absolute === path || absolute.startsWith(path + sep));
  }

  /** Returns the path on this host for a canonical path of the workspace. */
  toHostPath(absolute: string): string {
    const folder = this.findShownFolder(absolute);
    return folder ? join(folder.source, relative(folder.path, absolute)) : absolute;
  }

  /** Opens a file (or anything else, without blocking), checks that it lies in the workspace, and closes it after `use`. */
  async withOpenFile<T>(path: ResolvedPath, use: (handle: FileHandle) => Promise<T>): Promise<T> {
    const handle = await this.#openVerified(path.absolute, READ_FLAGS, path.shownPath);
    try {
      return await use(handle);
    } catch (error) {
      throw toEnvironmentError(error, path.shownPath);
    } finally {
      await handle.close();
    }
  }

  /** Opens the parent folder of `path`. With `create`, creates it and its parents if they are missing. */
  async openParent(path: ResolvedPath, options: { create?: boolean } = {}): Promise<OpenFolder> {
    if (path.absolute === this.root) {
      throw new EnvironmentError(
        'IS_DIRECTORY',
        `${path.shownPath} is the workspace itself; name a file in it`,
      );
    }
    const folder = dirname(path.absolute);
    if (options.create) await this.#createFolders(folder, path.shownPath);
    return await this.openFolder(folder, path.shownPath);
  }

  async openFolder(absolute: string, shownPath: string): Promise<OpenFolder> {
    const handle = await this.#openVerified(absolute, FOLDER_FLAGS, shownPath);
    const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : absolute;
    return { entry: (name) => (name ? `${base}/${name}` : base), close: () => handle.close() };
  }

  /** Returns a path relative to the root folder, with `/`. */
  toShownPath(absolute: string): string {
    return relative(this.startFolder, absolute).split(sep).join('/') || '.';
  }

  /** Returns a path relative to the workspace, with `/`. */
  toRootRelative(absolute: string): string {
    return relative(this.root, absolute).split(sep).join('/') || '.';
  }

  /** Returns the canonical form of an absolute path; missing segments stay unchanged. */
  async #followLinks(absolute: string): Promise<{ absolute: string; stats: Stats | undefined }> {
    let current = '/';
    let stats: Stats | undefined = undefined;
    let linkCount = 0;
    const segments = absolute.split('/').filter(Boolean);
    for (let segment = segments.shift(); segment !== undefined; segment = segments.shift()) {
      const next = join(current, segment);
      const hostPath = this.toHostPath(next);
      stats = await lstatIfExists(hostPath);
      if (!stats?.isSymbolicLink()) {
        current = next;
        continue;
      }
      if ((linkCount += 1) > MAX_LINKS) {
        throw new EnvironmentError('INVALID_PATH', 'The path has too many symbolic links in it');
      }
      const target = await readlink(hostPath);
      if (isAbsolute(target)) current = '/';
      segments.unshift(...target.split('/').filter((part) => part !== '' && part !== '.'));
    }
    return { absolute: current, stats: stats ?? (await lstatIfExists(this.toHostPath(current))) };
  }

  #resolveLexically(path: string): string {
    const absolute = resolve(this.#isFromRoot(path) ? this.root : this.startFolder, path);
    const relativePath = relative(this.#givenRoot, absolute);
    return isAbsolute(path) && !isOutside(relativePath) ? resolve(this.root, relativePath) : absolute;
  }

  /**
   * Returns whether a relative path begins with the name of the subfolder. Such a path refers to the root, since tasks and git name paths
   * from the root of a repository.
   */
  #isFromRoot(path: string): boolean {
    const folder = this.#subfolder;
    if (folder === '' || isAbsolute(path)) return false;
    const normalPath = normalize(path);
    return (
      (normalPath === folder || normalPath.startsWith(`${folder}/`)) &&
      !existsSync(join(this.startFolder, folder))
    );
  }

  async #createOutsideError(path: string, lexical: string): Promise<EnvironmentError> {
    return createOutsideError(
      path,
      this.#contains(lexical) ? undefined : await guessPath(this.startFolder, path),
    );
  }

  #contains(absolute: string): boolean {
    return !isOutside(relative(this.root, absolute));
  }

  #toResolvedPath({ absolute, stats }: { absolute: string; stats: Stats | undefined }): ResolvedPath {
    return { absolute, shownPath: this.toShownPath(absolute), stats };
  }

  async #openVerified(absolute: string, flags: number, shownPath: string): Promise<FileHandle> {
    const hostPath = this.toHostPath(absolute);
    const handle = await open(hostPath, flags).catch((error: unknown) => {
      throw toEnvironmentError(error, shownPath);
    });
    try {
      const base = this.findShownFolder(absolute)?.source ?? this.root;
      if (isOutside(relative(base, await readOpenPath(handle, hostPath))))
        throw createOutsideError(shownPath);
      return handle;
    } catch (error) {
      await handle.close();
      throw toEnvironmentError(error, shownPath);
    }
  }

  async #createFolders(folder: string, shownPath: string): Promise<void> {
    const missing: string[] = [];
    let existing = folder;
    while (!(await lstatIfExists(existing)) && this.#contains(dirname(existing))) {
      missing.unshift(existing);
      existing = dirname(existing);
    }
    for (const next of missing) {
      const parent = await this.openFolder(dirname(next), shownPath);
      try {
        await mkdir(parent.entry(basename(next)));
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw toEnvironmentError(error, shownPath);
      } finally {
        await parent.close();
      }
    }
  }
}

/** Returns the shown folders that exist, with their real paths. */
async function resolveShownFolders(
  folders: readonly MountedFolder[],
  root: string,
  givenRoot: string,
): Promise<MountedFolder[]> {
  const resolved = folders.map(async ({ source, path }) => {
    const real = await realpath(source).catch(() => undefined);
    const realPlace = resolve(root, relative(givenRoot, path));
    return real === undefined
      ? []
      : [{ source: real, path: isOutside(relative(givenRoot, path)) ? path : realPlace }];
  });
  return (await Promise.all(resolved)).flat();
}

function checkPathText(path: string): void {
  if (path.includes('\0')) throw new EnvironmentError('INVALID_PATH', 'The path contains a NUL character');
  if (path.length > MAX_PATH_CHARS) {
    throw new EnvironmentError('INVALID_PATH', `The path has more than ${MAX_PATH_CHARS} characters`);
  }
}

function createOutsideError(path: string, suggestion?: string): EnvironmentError {
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  const message = `${path} is outside the workspace; use a path inside it, relative to its top folder${hint}`;
  return new EnvironmentError('PATH_OUTSIDE_WORKSPACE', message);
}

function isOutside(relativePath: string): boolean {
  return relativePath === '..' || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath);
}

async function lstatIfExists(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Returns the real path of an open file. Without /proc, it is the present real path of its name, if that is still the same file. */
async function readOpenPath(handle: FileHandle, absolute: string): Promise<string> {
  if (process.platform === 'linux') return await readlink(`/proc/self/fd/${handle.fd}`);
  const currentPath = await realpath(absolute);
  const [opened, current] = await Promise.all([handle.stat(), lstat(currentPath)]);
  return opened.ino === current.ino && opened.dev === current.dev ? currentPath : '/';
}
