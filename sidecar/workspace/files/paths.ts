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
import { guessPath } from './suggestions.ts';

const MAX_LINKS = 40;
const MAX_PATH_CHARS = 4096;
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A folder of the host that is shown, read-only, at `path` of the workspace. Both are absolute. */
export interface ShownFolder {
  source: string;
  path: string;
}

/** A path that was inside the workspace when it was resolved. Only `WorkspacePaths` creates it. */
export interface ResolvedPath {
  /** Canonical path, without links and `..`. */
  absolute: string;
  /** Path relative to the root folder, with `/`; `.` for the root. */
  shown: string;
  /** The entry at the path, links not followed; undefined if there is none. */
  stats: Stats | undefined;
}

/** An open folder. `entry(name)` is a path that cannot be redirected by a link that replaces a parent folder. */
export interface OpenFolder {
  entry(name: string): string;
  close(): Promise<void>;
}

export interface PathOptions {
  /** Globs of further paths that are never written, relative to the workspace. */
  guarded?: readonly string[] | undefined;
  /** The folder of the workspace in which relative paths begin. Default: the workspace. */
  subfolder?: string | undefined;
}

/** Resolves all paths of one workspace. Methods reject with `EnvironmentError`. */
export class WorkspacePaths {
  /** The real path of the workspace. */
  readonly root: string;
  /** The folder in which relative paths begin: the workspace, or a folder of it. */
  readonly start: string;
  /** Returns the pattern that protects a path of the workspace from being written, if any. */
  readonly protection: (path: string) => string | undefined;
  readonly #given: string;
  readonly #subfolder: string;
  readonly #shown: readonly ShownFolder[];

  private constructor(
    root: string,
    given: string,
    shown: readonly ShownFolder[],
    { guarded, subfolder = '' }: PathOptions,
  ) {
    this.root = root;
    this.start = join(root, subfolder);
    this.#subfolder = subfolder;
    this.protection = createProtection(guarded);
    this.#given = given;
    this.#shown = shown;
  }

  static async open(
    workspace: string,
    shown: readonly ShownFolder[] = [],
    options: PathOptions = {},
  ): Promise<WorkspacePaths> {
    const given = resolve(workspace);
    try {
      const root = await realpath(given);
      if ((await stat(root)).isDirectory()) {
        const paths = new WorkspacePaths(root, given, await realFolders(shown, root, given), options);
        await paths.#createFolders(paths.start, '.');
        await (await paths.openFolder(paths.start, '.')).close();
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
    checkText(path);
    const lexical = this.#lexical(path);
    const target = await this.#followLinks(lexical).catch(async (error: unknown) => {
      throw this.#contains(lexical) ? toEnvironmentError(error, path) : await this.#refusal(path, lexical);
    });
    if (!this.#contains(target.absolute)) throw await this.#refusal(path, lexical);
    if (!options.keepLastLink) return this.#describe(target);
    const parent = await this.#followLinks(dirname(lexical));
    const absolute = join(parent.absolute, basename(lexical));
    if (lexical === this.root || !this.#contains(absolute)) return this.#describe(target);
    return this.#describe({ absolute, stats: await lstatIfExists(this.onHost(absolute)) });
  }

  /** Resolves a path for writing. Rejects if the path is protected or in a shown folder. */
  async resolveToWrite(path: string, options?: { keepLastLink?: boolean }): Promise<ResolvedPath> {
    const target = await this.resolve(path, options);
    const folder = this.shownAt(target.absolute);
    const pattern = this.protection(this.relativeToRoot(target.absolute));
    if (!folder && pattern === undefined) return target;
    const why = folder
      ? `${this.show(folder.path)} is shared with the source repository and must not be written; change files of the project instead`
      : `${target.shown} is protected (${pattern}) and must not be written; leave it unchanged, and report in your answer if it needs a change`;
    throw new EnvironmentError('PATH_PROTECTED', why);
  }

  /** Returns the shown folder that contains `absolute`, if any. */
  shownAt(absolute: string): ShownFolder | undefined {
    return this.#shown.find(({ path }) => absolute === path || absolute.startsWith(path + sep));
  }

  /** Returns the path on this host for a canonical path of the workspace. */
  onHost(absolute: string): string {
    const folder = this.shownAt(absolute);
    return folder ? join(folder.source, relative(folder.path, absolute)) : absolute;
  }

  /** Opens a file (or anything else, without blocking), checks that it lies inside, and closes it after `read`. */
  async readFrom<T>(path: ResolvedPath, read: (handle: FileHandle) => Promise<T>): Promise<T> {
    const handle = await this.#openVerified(path.absolute, READ_FLAGS, path.shown);
    try {
      return await read(handle);
    } catch (error) {
      throw toEnvironmentError(error, path.shown);
    } finally {
      await handle.close();
    }
  }

  /** Opens the folder of `path`. If `create` is set, creates it and its parents. */
  async openParent(path: ResolvedPath, options: { create?: boolean } = {}): Promise<OpenFolder> {
    if (path.absolute === this.root) {
      throw new EnvironmentError('IS_DIRECTORY', `${path.shown} is the workspace itself; name a file in it`);
    }
    const folder = dirname(path.absolute);
    if (options.create) await this.#createFolders(folder, path.shown);
    return await this.openFolder(folder, path.shown);
  }

  async openFolder(absolute: string, shown: string): Promise<OpenFolder> {
    const handle = await this.#openVerified(absolute, FOLDER_FLAGS, shown);
    const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : absolute;
    return { entry: (name) => (name ? `${base}/${name}` : base), close: () => handle.close() };
  }

  /** Returns a path relative to the root folder, with `/`. */
  show(absolute: string): string {
    return relative(this.start, absolute).split(sep).join('/') || '.';
  }

  /** Returns a path relative to the workspace, with `/`. */
  relativeToRoot(absolute: string): string {
    return relative(this.root, absolute).split(sep).join('/') || '.';
  }

  /** Returns the canonical form of an absolute path; missing segments stay unchanged. */
  async #followLinks(absolute: string): Promise<{ absolute: string; stats: Stats | undefined }> {
    let current = '/';
    let stats: Stats | undefined = undefined;
    let links = 0;
    const segments = absolute.split('/').filter(Boolean);
    for (let segment = segments.shift(); segment !== undefined; segment = segments.shift()) {
      const next = join(current, segment);
      const host = this.onHost(next);
      stats = await lstatIfExists(host);
      if (!stats?.isSymbolicLink()) {
        current = next;
        continue;
      }
      if ((links += 1) > MAX_LINKS) {
        throw new EnvironmentError('INVALID_PATH', 'The path has too many symbolic links in it');
      }
      const target = await readlink(host);
      if (isAbsolute(target)) current = '/';
      segments.unshift(...target.split('/').filter((part) => part !== '' && part !== '.'));
    }
    return { absolute: current, stats: stats ?? (await lstatIfExists(this.onHost(current))) };
  }

  #lexical(path: string): string {
    const absolute = resolve(this.#isFromRoot(path) ? this.root : this.start, path);
    const fromGiven = relative(this.#given, absolute);
    return isAbsolute(path) && !leaves(fromGiven) ? resolve(this.root, fromGiven) : absolute;
  }

  /** Returns whether a path begins with the name of the subfolder, since tasks and git name paths from the root of a repository. */
  #isFromRoot(path: string): boolean {
    const folder = this.#subfolder;
    if (folder === '' || isAbsolute(path)) return false;
    const plain = normalize(path);
    return (plain === folder || plain.startsWith(`${folder}/`)) && !existsSync(join(this.start, folder));
  }

  async #refusal(path: string, lexical: string): Promise<EnvironmentError> {
    return outside(path, this.#contains(lexical) ? undefined : await guessPath(this.start, path));
  }

  #contains(absolute: string): boolean {
    return !leaves(relative(this.root, absolute));
  }

  #describe({ absolute, stats }: { absolute: string; stats: Stats | undefined }): ResolvedPath {
    return { absolute, shown: this.show(absolute), stats };
  }

  async #openVerified(absolute: string, flags: number, shown: string): Promise<FileHandle> {
    const host = this.onHost(absolute);
    const handle = await open(host, flags).catch((error: unknown) => {
      throw toEnvironmentError(error, shown);
    });
    try {
      const base = this.shownAt(absolute)?.source ?? this.root;
      if (leaves(relative(base, await pathOf(handle, host)))) throw outside(shown);
      return handle;
    } catch (error) {
      await handle.close();
      throw toEnvironmentError(error, shown);
    }
  }

  async #createFolders(folder: string, shown: string): Promise<void> {
    const missing: string[] = [];
    let existing = folder;
    while (!(await lstatIfExists(existing)) && this.#contains(dirname(existing))) {
      missing.unshift(existing);
      existing = dirname(existing);
    }
    for (const next of missing) {
      const parent = await this.openFolder(dirname(next), shown);
      try {
        await mkdir(parent.entry(basename(next)));
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw toEnvironmentError(error, shown);
      } finally {
        await parent.close();
      }
    }
  }
}

/** Returns the shown folders that exist, by their real paths. */
async function realFolders(
  folders: readonly ShownFolder[],
  root: string,
  given: string,
): Promise<ShownFolder[]> {
  const found = folders.map(async ({ source, path }) => {
    const real = await realpath(source).catch(() => undefined);
    const place = resolve(root, relative(given, path));
    return real === undefined ? [] : [{ source: real, path: leaves(relative(given, path)) ? path : place }];
  });
  return (await Promise.all(found)).flat();
}

function checkText(path: string): void {
  if (path.includes('\0')) throw new EnvironmentError('INVALID_PATH', 'The path has a NUL character in it');
  if (path.length > MAX_PATH_CHARS) {
    throw new EnvironmentError('INVALID_PATH', `The path has more than ${MAX_PATH_CHARS} characters`);
  }
}

function outside(path: string, instead?: string): EnvironmentError {
  const hint = instead === undefined ? '' : `; did you mean ${instead}?`;
  const message = `${path} leaves the workspace; use a path inside it, relative to its top folder${hint}`;
  return new EnvironmentError('PATH_OUTSIDE_WORKSPACE', message);
}

function leaves(relativePath: string): boolean {
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
async function pathOf(handle: FileHandle, absolute: string): Promise<string> {
  if (process.platform === 'linux') return await readlink(`/proc/self/fd/${handle.fd}`);
  const now = await realpath(absolute);
  const [opened, named] = await Promise.all([handle.stat(), lstat(now)]);
  return opened.ino === named.ino && opened.dev === named.dev ? now : '/';
}
