/**
 * Implements the default execution environment: files of one workspace through path confinement, commands through the spawn port and, if it
 * works, the sandbox. Every method runs `initialize` first if necessary. After `cleanup` no command runs and the scratch folder is removed.
 */
import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type {
  CopiedTree,
  DirectoryListing,
  ExecOptions,
  ExecResult,
  ExecutionEnvironment,
  FileStat,
  FileText,
  GrepOptions,
  GrepResult,
  ProgramOptions,
  RunningProgram,
  StagedWrite,
} from '../base/ports.ts';
import { borrowDependencies } from './commands/borrowed-dependencies.ts';
import { CommandRunner, type CommandRunnerOptions } from './commands/command-runner.ts';
import { listEntries, typeOf } from './files/directory-listing.ts';
import { toEnvironmentError, EnvironmentError } from './files/environment-error.ts';
import { MAX_READ_BYTES, readBytes, readLines, readWholeFile } from './files/file-read.ts';
import { encodeContent, stageContent } from './files/file-write.ts';
import { type ResolvedPath, WorkspacePaths } from './files/workspace-paths.ts';
import { suggestPaths } from './files/suggest-paths.ts';

export interface LocalExecutionEnvironmentOptions extends Omit<CommandRunnerOptions, 'paths' | 'mark'> {
  /** Folder of the task, which must exist. */
  workspace: string;
  /** Folder in the workspace in which commands run and to which relative paths refer. Default: the workspace. */
  subfolder?: string | undefined;
  /** Globs of further paths that are never written, relative to the workspace. */
  protectedPaths?: readonly string[];
  /** Folders of the workspace, relative to it, that contained dependencies before the task began. */
  ownDependencies?: readonly string[];
  /** Called with a path of the workspace before a file is written there. */
  onWrite?: (path: string) => Promise<void>;
  /** Identifies processes of this environment, so that a later worker can find those that were left behind. */
  mark?: string;
}

const DEFAULT_LIMIT_LINES = 2000;

interface EnvironmentParts {
  paths: WorkspacePaths;
  runner: CommandRunner;
}

/** All methods reject only with `EnvironmentError`. */
export class LocalExecutionEnvironment implements ExecutionEnvironment {
  readonly platform = process.platform;
  readonly #options: LocalExecutionEnvironmentOptions;
  readonly #mark: string;
  #parts: Promise<EnvironmentParts> | undefined;
  #root: string;

  constructor(options: LocalExecutionEnvironmentOptions) {
    this.#options = options;
    this.#root = join(options.workspace, options.subfolder ?? '');
    this.#mark = `${options.mark ?? ''}${randomBytes(6).toString('hex')}`;
  }

  /** Opens an environment for a copy of the workspace, with the workspace's initial dependencies. */
  async openTree({ dir, gitDirs, cacheDir, onWrite }: CopiedTree): Promise<LocalExecutionEnvironment> {
    const { workspace: workspaceDir, ownDependencies, environment, writablePaths = [] } = this.#options;
    const { sandboxed } = await this.readSandboxStatus();
    const sharedFolders = await borrowDependencies({
      workspaceDir,
      copyDir: dir,
      sharedFolders: this.#options.sharedFolders ?? [],
      ownFolders: ownDependencies,
      sandboxed,
    });
    const copy = { ...this.#options, workspace: dir, gitDirs, sharedFolders, onWrite };
    if (cacheDir === undefined) return new LocalExecutionEnvironment(copy);
    return new LocalExecutionEnvironment({
      ...copy,
      environment: { ...environment, XDG_CACHE_HOME: cacheDir },
      writablePaths: [...writablePaths, cacheDir],
      cacheLayersDir: join(dirname(cacheDir), 'layers'),
    });
  }

  /** Folder to which relative paths refer: the given path at first, its real path after `initialize`. */
  get workingDirectory(): string {
    return this.#root;
  }

  /** Checks the workspace and the sandbox; rejects with `SANDBOX_UNAVAILABLE` if a required sandbox does not work. May be called twice. */
  async initialize(): Promise<void> {
    await this.#openOnce();
  }

  /** Returns whether commands run in the sandbox, and the reason if they do not. */
  async readSandboxStatus(): Promise<{ sandboxed: true } | { sandboxed: false; reason: string }> {
    return (await this.#openOnce()).runner.readSandboxStatus();
  }

  /** Ends running commands and removes the scratch folder. May be called twice. A later method call opens the environment again. */
  async cleanup(): Promise<void> {
    const parts = await this.#parts?.catch(() => undefined);
    this.#parts = undefined;
    await parts?.runner.close();
  }

  async readFile(path: string, range?: { offset?: number; limit?: number }): Promise<FileText> {
    const { paths } = await this.#openOnce();
    const target = await paths.resolve(path);
    await this.#requireExisting(paths, target);
    return paths.withOpenFile(target, async (handle) => {
      const stats = await handle.stat();
      if (!stats.isFile()) throw createNotAFileError(target.shownPath, typeOf(stats));
      if (range?.offset === undefined && range?.limit === undefined)
        return readWholeFile(handle, target.shownPath, stats.size);
      const offset = raiseToOne(range.offset ?? 1);
      const limit = raiseToOne(range.limit ?? DEFAULT_LIMIT_LINES);
      return readLines(handle, target.shownPath, stats.size, { offset, limit });
    });
  }

  async writeFile(
    path: string,
    content: string,
    like?: string,
  ): Promise<{ created: boolean; sizeBytes: number }> {
    const staged = await this.stageWrite(path, content, like);
    await staged.commit();
    return { created: staged.isNew, sizeBytes: staged.sizeBytes };
  }

  /** Writes the content beside its target. All failures happen here, including a full disk; `commit` only renames. */
  async stageWrite(path: string, content: string, like?: string): Promise<StagedWrite> {
    const { paths } = await this.#openOnce();
    const target = await paths.resolveToWrite(path);
    if (target.stats && !target.stats.isFile())
      throw createNotAFileError(target.shownPath, typeOf(target.stats));
    const likeFile = target.stats || like === undefined ? target : await paths.resolve(like);
    const bytes = encodeContent(content, target.shownPath, await this.#readBytes(paths, likeFile));
    await this.#options.onWrite?.(paths.toRootRelative(target.absolute));
    const folder = await paths.openParent(target, { create: true });
    const finish = async (finalStep: () => Promise<void>): Promise<void> => {
      try {
        await finalStep();
      } catch (error) {
        throw toEnvironmentError(error, target.shownPath);
      } finally {
        await folder.close();
      }
    };
    try {
      const staged = await stageContent(folder, basename(target.absolute), bytes, likeFile.stats);
      return {
        isNew: target.stats === undefined,
        sizeBytes: bytes.length,
        commit: () => finish(() => staged.commit()),
        discard: () => finish(() => staged.discard()),
      };
    } catch (error) {
      await folder.close();
      throw toEnvironmentError(error, target.shownPath);
    }
  }

  /** Removes a file or a link; a folder is refused with `IS_DIRECTORY`. */
  async deleteFile(path: string): Promise<void> {
    const { paths } = await this.#openOnce();
    const target = await paths.resolveToWrite(path, { keepLastLink: true });
    await this.#requireExisting(paths, target);
    if (target.stats?.isDirectory()) throw createNotAFileError(target.shownPath, 'directory');
    const folder = await paths.openParent(target);
    try {
      await unlink(folder.entry(basename(target.absolute)));
    } catch (error) {
      throw toEnvironmentError(error, target.shownPath);
    } finally {
      await folder.close();
    }
  }

  async fileExists(path: string): Promise<boolean> {
    const { paths } = await this.#openOnce();
    return (await paths.resolve(path)).stats !== undefined;
  }

  /** Returns type, size and times of the path itself; a link is not followed. A link that leads out of the workspace is refused. */
  async stat(path: string): Promise<FileStat> {
    const { paths } = await this.#openOnce();
    const target = await paths.resolve(path, { keepLastLink: true });
    await this.#requireExisting(paths, target);
    const { size = 0, mtimeMs = 0, mode = 0 } = target.stats ?? {};
    return {
      type: target.stats ? typeOf(target.stats) : 'other',
      sizeBytes: size,
      modifiedMs: mtimeMs,
      mode: mode & 0o7777,
    };
  }

  async listDirectory(
    path: string,
    options: { recursive?: boolean; pattern?: string; signal?: AbortSignal } = {},
  ): Promise<DirectoryListing> {
    const { paths } = await this.#openOnce();
    const target = await paths.resolve(path);
    await this.#requireExisting(paths, target);
    if (target.stats?.isFile())
      throw new EnvironmentError(
        'NOT_A_DIRECTORY',
        `${target.shownPath} is a file, not a directory; read it`,
      );
    return await listEntries(paths, target, options);
  }

  async execCommand(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    return await (await this.#openOnce()).runner.run(command, options);
  }

  async execProgram(argv: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    return await (await this.#openOnce()).runner.run(argv, options);
  }

  async startProgram(argv: readonly string[], options: ProgramOptions): Promise<RunningProgram> {
    return await (await this.#openOnce()).runner.start(argv, options);
  }

  async grep(pattern: string, options: GrepOptions = {}): Promise<GrepResult> {
    const { paths } = await this.#openOnce();
    const { grepFiles } = await import('./files/grep.ts');
    return await grepFiles(paths, pattern, options);
  }

  async glob(
    pattern: string,
    options: { path?: string; maxResults?: number; signal?: AbortSignal } = {},
  ): Promise<string[]> {
    const { paths } = await this.#openOnce();
    const { globFiles } = await import('./files/glob.ts');
    return await globFiles(paths, pattern, options);
  }

  #openOnce(): Promise<EnvironmentParts> {
    this.#parts ??= this.#open();
    return this.#parts;
  }

  async #open(): Promise<EnvironmentParts> {
    const { workspace, sharedFolders, protectedPaths, subfolder } = this.#options;
    const paths = await WorkspacePaths.open(workspace, sharedFolders, { protectedPaths, subfolder });
    this.#root = paths.startFolder;
    const runner = await CommandRunner.open({
      ...this.#options,
      paths,
      mark: this.#mark,
    });
    return { paths, runner };
  }

  /** Returns the bytes of a file; undefined if there is no file, or if it is too large to be read as text. */
  async #readBytes(paths: WorkspacePaths, target: ResolvedPath): Promise<Buffer | undefined> {
    const { stats, shownPath } = target;
    if (!stats?.isFile() || stats.size > MAX_READ_BYTES) return undefined;
    return paths.withOpenFile(target, (handle) => readBytes(handle, shownPath, stats.size));
  }

  async #requireExisting(paths: WorkspacePaths, target: ResolvedPath): Promise<void> {
    if (target.stats) return;
    const suggestions = await suggestPaths(paths.startFolder, target.shownPath);
    const hint = suggestions.length > 0 ? `; did you mean ${suggestions.join(' or ')}?` : '';
    throw new EnvironmentError('NOT_FOUND', `${target.shownPath} does not exist${hint}`);
  }
}

function raiseToOne(value: number): number {
  return Number.isFinite(value) ? Math.max(1, Math.floor(value)) : Number.MAX_SAFE_INTEGER;
}

function createNotAFileError(shownPath: string, type: FileStat['type']): EnvironmentError {
  if (type !== 'directory') return new EnvironmentError('NOT_A_FILE', `${shownPath} is not a regular file`);
  return new EnvironmentError('IS_DIRECTORY', `${shownPath} is a directory; name a file in it, or list it`);
}
