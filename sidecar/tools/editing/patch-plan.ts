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

/** The operation on one path; a move carries a new text where the file is changed as well. */
export type FileChange =
  /** `like`: the file of which it is a copy. */
  | { type: 'write'; path: string; text: string; like?: string }
  | { type: 'delete'; path: string }
  | { type: 'move'; path: string; to: string; text?: string };

export type PlannedPatch =
  | { ok: true; changes: FileChange[]; done: string[] }
  /** `paths`: the files whose operations do not fit. */
  | { ok: false; message: string; paths: string[] };

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
  const paths = new Set<string>();
  for (const operation of operations) {
    try {
      done.push(await planner.apply(operation));
    } catch (error) {
      problems.push(`${operation.path}: ${errorMessage(error)}`);
      paths.add(operation.path);
    }
  }
  if (problems.length === 0) return { ok: true, changes: await planner.changes(), done };
  const more = problems.length > MAX_PROBLEMS ? [`… and ${problems.length - MAX_PROBLEMS} more`] : [];
  return { ok: false, message: [...problems.slice(0, MAX_PROBLEMS), ...more].join('\n'), paths: [...paths] };
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
  /** As on disk, for every path that was looked at. */
  readonly #before = new Map<string, VirtualFile>();
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
    const text = chunks.length === 0 ? file.text : await this.#patched(path, file, chunks);
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

  async #patched(
    path: string,
    file: VirtualFile,
    chunks: Parameters<typeof locateChunks>[1],
  ): Promise<string> {
    const text = await this.#textOf(path, file);
    const before = this.#before.get(file.origin ?? path);
    if (before && file.text === undefined) before.text = text;
    const document = new TextDocument(text);
    const located = locateChunks(document, chunks);
    if (!located.ok) throw new PatchProblem(located.message);
    return changedText(document, located.changes);
  }

  async #textOf(path: string, file: VirtualFile): Promise<string> {
    return file.text ?? (await this.#env.readFile(file.origin ?? path)).text;
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
    this.#before.set(path, { ...file });
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

  /**
   * The steps that bring the workspace to the state that the operations made, in any order: a path that is
   * moved away is free in the end, and one that is written or moved to is not.
   */
  async changes(): Promise<FileChange[]> {
    const changes: FileChange[] = [];
    const movedAway = new Set<string>();
    for (const [path, file] of this.#now) {
      if (!file.exists) continue;
      const { origin, text } = file;
      if (origin !== undefined && origin !== path && this.#now.get(origin)?.exists === false) {
        movedAway.add(origin);
        changes.push({ type: 'move', path: origin, to: path, text });
      } else if (origin !== undefined && origin !== path) {
        // Something else takes the place it came from, so that it can only be copied.
        changes.push({
          type: 'write',
          path,
          text: text ?? (await this.#env.readFile(origin)).text,
          like: origin,
        });
      } else if (text !== undefined && text !== this.#before.get(path)?.text) {
        changes.push({ type: 'write', path, text });
      }
    }
    for (const [path, file] of this.#now) {
      const gone = !file.exists && this.#before.get(path)?.exists === true;
      if (gone && !movedAway.has(path)) changes.push({ type: 'delete', path });
    }
    return changes;
  }
}

/** The file after `changes`: lines keep their endings, new ones take the first, and the last line is ended. */
export function changedText(document: TextDocument, changes: readonly LineChange[]): string {
  const lineCount = document.closedLines.length;
  const endsOpen = lineCount === document.lines.length;
  const replacements = changes.map(({ start, end, lines }) => {
    const text = lines.map((line) => `${line}\n`).join('');
    const afterOpenEnd = endsOpen && start === lineCount && lineCount > 0;
    return {
      from: start >= document.lines.length ? document.text.length : document.startOf(start),
      to: end >= document.lines.length ? document.text.length : document.startOf(end),
      text: afterOpenEnd ? `\n${text}` : text,
    };
  });
  const text = document.replace(replacements);
  const isEnded = text === document.bom || text.endsWith('\n') || text.endsWith(document.lineEnding);
  return isEnded ? text : text + document.lineEnding;
}
