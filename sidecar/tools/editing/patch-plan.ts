/**
 * Checks every operation of a patch against the workspace before anything is written, and
 * works out the files that remain to be written. Operations see what those before them did; nothing is changed here.
 */
import { posix } from 'node:path';
import { errorMessage } from '../../values/errors.ts';
import type { ExecutionEnvironment } from '../../ports.ts';
import { readTextFile } from '../text-file.ts';
import { locateChunks } from './patch-locate.ts';
import type { PatchOperation } from './patch-parser.ts';
import { TextDocument, inPlaceOf } from './text-document.ts';
import type { LineChange } from './changed-lines.ts';

/** The operation on one path. `like`: the file whose mode and encoding a new one takes. */
export type FileChange =
  { type: 'write'; path: string; text: string; like?: string } | { type: 'delete'; path: string };

export type PlannedPatch =
  | { ok: true; changes: FileChange[]; done: string[] }
  /** `path`: the first file whose operations do not fit. */
  | { ok: false; message: string; path: string };

/** Problems reported at once; the rest follow when these are solved. */
const MAX_PROBLEMS = 5;

/** `baseDir` is where relative paths begin, itself relative to the workspace. Rejects for nothing a patch can hold. */
export async function planPatch(
  operations: readonly PatchOperation[],
  env: ExecutionEnvironment,
  baseDir = '.',
): Promise<PlannedPatch> {
  const planner = new PatchPlanner(env, baseDir);
  const done: string[] = [];
  const problems: string[] = [];
  let path: string | undefined;
  for (const operation of operations) {
    try {
      done.push(await planner.apply(operation));
    } catch (error) {
      problems.push(`${operation.path}: ${errorMessage(error)}`);
      path ??= operation.path;
    }
  }
  if (path === undefined) return { ok: true, changes: planner.changes(), done };
  const more = problems.length > MAX_PROBLEMS ? [`… and ${problems.length - MAX_PROBLEMS} more`] : [];
  return { ok: false, message: [...problems.slice(0, MAX_PROBLEMS), ...more].join('\n'), path };
}

/** A file as the operations so far leave it. `text` is undefined while nobody needed it. */
interface VirtualFile {
  exists: boolean;
  text?: string;
  /** The path on disk whose file this is, after moves; undefined for one that was created. */
  origin?: string;
}

/** An operation that cannot be done; its message completes "path: …". */
class PatchProblem extends Error {}

class PatchPlanner {
  readonly #env: ExecutionEnvironment;
  readonly #baseDir: string;
  /** Of the paths that were looked at those with a file. */
  readonly #onDisk = new Set<string>();
  readonly #now = new Map<string, VirtualFile>();

  constructor(env: ExecutionEnvironment, baseDir: string) {
    this.#env = env;
    this.#baseDir = baseDir;
  }

  /** Says what was done; rejects when it cannot be. */
  async apply(operation: PatchOperation): Promise<string> {
    const path = this.#resolve(operation.path);
    if (operation.type === 'add') return await this.#add(path, operation.lines);
    if (operation.type === 'update') return await this.#update(path, operation);
    await this.#existing(path);
    this.#now.set(path, { exists: false });
    return `deleted ${path}`;
  }

  async #add(path: string, lines: readonly string[]): Promise<string> {
    const file = await this.#replaceable(path);
    const text = lines.map((line) => `${line}\n`).join('');
    const before = file.exists ? await this.#textOf(path, file) : '';
    // A file that is overwritten keeps its mode: it is the same file with another content.
    this.#now.set(path, { exists: true, text: inPlaceOf(before, text), origin: file.origin });
    return file.exists ? `added ${path} (overwrote an existing file)` : `added ${path}`;
  }

  async #update(path: string, operation: PatchOperation & { type: 'update' }): Promise<string> {
    const { chunks, moveTo } = operation;
    const file = await this.#existing(path);
    const before = await this.#textOf(path, file);
    const text = chunks.length === 0 ? before : patched(before, chunks);
    const hunks = chunks.length === 1 ? '1 hunk' : `${chunks.length} hunks`;
    const target = moveTo === undefined ? path : this.#resolve(moveTo);
    if (target === path) {
      this.#now.set(path, { ...file, text });
      return `updated ${path} (${hunks})`;
    }
    const overwrote = (await this.#replaceable(target)).exists ? ', overwrote an existing file' : '';
    this.#now.set(path, { exists: false });
    this.#now.set(target, { ...file, text });
    return chunks.length === 0
      ? `moved ${path} to ${target}${overwrote}`
      : `updated ${path} (${hunks}), moved to ${target}${overwrote}`;
  }

  async #textOf(path: string, file: VirtualFile): Promise<string> {
    file.text ??= (await this.#env.readFile(file.origin ?? path)).text;
    return file.text;
  }

  /** The file at `path`, which must be one. */
  async #existing(path: string): Promise<VirtualFile> {
    const known = this.#now.get(path);
    if (known && !known.exists) throw new PatchProblem('an earlier operation of the patch removed it');
    // Says it itself when there is none, with the closest paths.
    if (!known) await this.#env.stat(path);
    return await this.#look(path);
  }

  /** The file at `path`, if there is any; it is not replaced where nobody could have read it. */
  async #replaceable(path: string): Promise<VirtualFile> {
    const file = await this.#look(path);
    const isOnDisk = file.origin === path && file.text === undefined;
    const found = isOnDisk ? await readTextFile(this.#env, path) : undefined;
    if (found?.kind === 'unreadable') throw new PatchProblem(`it ${found.reason}`);
    return file;
  }

  async #look(path: string): Promise<VirtualFile> {
    const known = this.#now.get(path);
    if (known) return known;
    const exists = await this.#env.fileExists(path);
    if (exists && (await this.#env.stat(path)).type === 'directory') throw new PatchProblem('is a directory');
    const file: VirtualFile = exists ? { exists, origin: path } : { exists };
    if (exists) this.#onDisk.add(path);
    this.#now.set(path, file);
    return file;
  }

  /** Relative to the workspace and normalised, so that one file has one name; the environment refuses what leaves it. */
  #resolve(path: string): string {
    const root = this.#env.workingDirectory;
    const joined = posix.isAbsolute(path) ? posix.normalize(path) : posix.join(this.#baseDir, path);
    const relative = posix.isAbsolute(joined) ? posix.relative(root, joined) : joined;
    return relative === '..' || relative.startsWith('../') ? joined : relative || '.';
  }

  /** What brings the workspace to the state that the operations made. */
  changes(): FileChange[] {
    return [...this.#now].flatMap(([path, { exists, text, origin }]): FileChange[] => {
      if (!exists) return this.#onDisk.has(path) ? [{ type: 'delete', path }] : [];
      if (text === undefined) return [];
      return [
        { type: 'write', path, text, ...(origin !== undefined && origin !== path && { like: origin }) },
      ];
    });
  }
}

function patched(text: string, chunks: Parameters<typeof locateChunks>[1]): string {
  const document = new TextDocument(text);
  const located = locateChunks(document, chunks);
  if (!located.ok) throw new PatchProblem(located.message);
  return changedText(document, located.changes);
}

/** The file after `changes`: lines keep their endings, new ones take the first, and the last line is ended. */
export function changedText(document: TextDocument, changes: readonly LineChange[]): string {
  const text = document.replace(document.linesReplaced(changes));
  return text === document.bom || text.endsWith('\n') ? text : text + document.lineEnding;
}
