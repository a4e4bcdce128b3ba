/**
 * Checks every operation of a patch against the workspace, and plans the files to write. Each operation applies to the result of the
 * earlier ones. No file is changed here.
 */
import { posix } from 'node:path';
import { errorMessage } from '../../base/values/errors.ts';
import type { ExecutionEnvironment } from '../../base/ports.ts';
import { readTextFile } from './text-file.ts';
import { locateChunks } from './patch-locate.ts';
import type { PatchOperation } from './patch-parser.ts';
import { TextDocument, replaceWhole } from './text-document.ts';
import type { LineChange } from './changed-lines.ts';

/** Planned change of one path. `like`: file from which a new file takes its mode and encoding. */
export type FileChange =
  { type: 'write'; path: string; text: string; like?: string } | { type: 'delete'; path: string };

export type PlannedPatch =
  | { ok: true; changes: FileChange[]; descriptions: string[] }
  /** `path`: the first file with an operation that does not fit. */
  | { ok: false; message: string; path: string };

/** Maximum number of reported problems. */
const MAX_PROBLEMS = 5;

/**
 * Plans the operations of a patch. Returns all problems of the patch in the result instead of rejecting. `baseDir`: folder of the workspace
 * to which relative paths refer.
 */
export async function planPatch(
  operations: readonly PatchOperation[],
  env: ExecutionEnvironment,
  baseDir = '.',
): Promise<PlannedPatch> {
  const planner = new PatchPlanner(env, baseDir);
  const descriptions: string[] = [];
  const problems: string[] = [];
  let path: string | undefined;
  for (const operation of operations) {
    try {
      descriptions.push(await planner.apply(operation));
    } catch (error) {
      problems.push(`${operation.path}: ${errorMessage(error)}`);
      path ??= operation.path;
    }
  }
  if (path === undefined) return { ok: true, changes: planner.changes(), descriptions };
  const omittedNote = problems.length > MAX_PROBLEMS ? [`… and ${problems.length - MAX_PROBLEMS} more`] : [];
  return { ok: false, message: [...problems.slice(0, MAX_PROBLEMS), ...omittedNote].join('\n'), path };
}

/** State of a file after the earlier operations. `text` is undefined until it is needed. */
interface VirtualFile {
  exists: boolean;
  text?: string;
  /** Path that the file has on disk, before any moves; undefined for a created file. */
  origin?: string;
}

/** Error about an operation that cannot be applied. Its message follows the path in a sentence "path: …". */
class PatchProblem extends Error {}

class PatchPlanner {
  readonly #env: ExecutionEnvironment;
  readonly #baseDir: string;
  /** Paths that were examined and have a file on disk. */
  readonly #onDisk = new Set<string>();
  readonly #files = new Map<string, VirtualFile>();

  constructor(env: ExecutionEnvironment, baseDir: string) {
    this.#env = env;
    this.#baseDir = baseDir;
  }

  /** Applies an operation to the plan, and returns a description of the change. Rejects if the operation does not fit. */
  async apply(operation: PatchOperation): Promise<string> {
    const path = this.#resolve(operation.path);
    if (operation.type === 'add') return await this.#add(path, operation.lines);
    if (operation.type === 'update') return await this.#update(path, operation);
    await this.#requireFile(path);
    this.#files.set(path, { exists: false });
    return `deleted ${path}`;
  }

  async #add(path: string, lines: readonly string[]): Promise<string> {
    const file = await this.#findReplaceable(path);
    const text = lines.map((line) => `${line}\n`).join('');
    const oldText = file.exists ? await this.#readText(path, file) : '';
    // A file that is overwritten retains its mode, so its origin is passed on.
    this.#files.set(path, { exists: true, text: replaceWhole(oldText, text), origin: file.origin });
    return file.exists ? `added ${path} (overwrote an existing file)` : `added ${path}`;
  }

  async #update(path: string, operation: PatchOperation & { type: 'update' }): Promise<string> {
    const { chunks, moveTo } = operation;
    const file = await this.#requireFile(path);
    const oldText = await this.#readText(path, file);
    const text = chunks.length === 0 ? oldText : applyChunks(oldText, chunks);
    const hunks = chunks.length === 1 ? '1 hunk' : `${chunks.length} hunks`;
    const target = moveTo === undefined ? path : this.#resolve(moveTo);
    if (target === path) {
      this.#files.set(path, { ...file, text });
      return `updated ${path} (${hunks})`;
    }
    const overwriteNote = (await this.#findReplaceable(target)).exists ? ', overwrote an existing file' : '';
    this.#files.set(path, { exists: false });
    this.#files.set(target, { ...file, text });
    return chunks.length === 0
      ? `moved ${path} to ${target}${overwriteNote}`
      : `updated ${path} (${hunks}), moved to ${target}${overwriteNote}`;
  }

  async #readText(path: string, file: VirtualFile): Promise<string> {
    file.text ??= (await this.#env.readFile(file.origin ?? path)).text;
    return file.text;
  }

  /** Returns the file at `path`. Rejects if there is none. */
  async #requireFile(path: string): Promise<VirtualFile> {
    const file = this.#files.get(path);
    if (file && !file.exists) throw new PatchProblem('an earlier operation of the patch removed it');
    // For a missing file, `stat` throws an error that names the most similar paths.
    if (!file) await this.#env.stat(path);
    return await this.#findFile(path);
  }

  /** Returns the file at `path`, existing or not. Rejects if it exists but cannot be read. */
  async #findReplaceable(path: string): Promise<VirtualFile> {
    const file = await this.#findFile(path);
    const isOnDisk = file.origin === path && file.text === undefined;
    const textFile = isOnDisk ? await readTextFile(this.#env, path) : undefined;
    if (textFile?.kind === 'unreadable') throw new PatchProblem(`it ${textFile.reason}`);
    return file;
  }

  async #findFile(path: string): Promise<VirtualFile> {
    const known = this.#files.get(path);
    if (known) return known;
    const exists = await this.#env.fileExists(path);
    if (exists && (await this.#env.stat(path)).type === 'directory') throw new PatchProblem('is a directory');
    const file: VirtualFile = exists ? { exists, origin: path } : { exists };
    if (exists) this.#onDisk.add(path);
    this.#files.set(path, file);
    return file;
  }

  /** Returns the normalised path relative to the workspace. For paths outside of the workspace, the environment refuses access later. */
  #resolve(path: string): string {
    const root = this.#env.workingDirectory;
    const joined = posix.isAbsolute(path) ? posix.normalize(path) : posix.join(this.#baseDir, path);
    const relative = posix.isAbsolute(joined) ? posix.relative(root, joined) : joined;
    return relative === '..' || relative.startsWith('../') ? joined : relative || '.';
  }

  /** Returns the changes that bring the workspace to the planned state. */
  changes(): FileChange[] {
    return [...this.#files].flatMap(([path, { exists, text, origin }]): FileChange[] => {
      if (!exists) return this.#onDisk.has(path) ? [{ type: 'delete', path }] : [];
      if (text === undefined) return [];
      return [
        { type: 'write', path, text, ...(origin !== undefined && origin !== path && { like: origin }) },
      ];
    });
  }
}

function applyChunks(text: string, chunks: Parameters<typeof locateChunks>[1]): string {
  const document = new TextDocument(text);
  const located = locateChunks(document, chunks);
  if (!located.ok) throw new PatchProblem(located.message);
  return applyLineChanges(document, located.listChanges);
}

/**
 * Applies line changes. Existing lines retain their line endings, new lines take the first line ending of the file, and the last line
 * always has one.
 */
export function applyLineChanges(document: TextDocument, changes: readonly LineChange[]): string {
  const text = document.replace(document.toReplacements(changes));
  return text === document.bom || text.endsWith('\n') ? text : text + document.lineEnding;
}
