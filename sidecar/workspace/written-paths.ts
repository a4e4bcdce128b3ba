/**
 * Records ignored paths that are part of a task's work, because a file tool or a draft wrote them. Ignored files that commands write are
 * not part of it. The paths are stored in a file beside the base index, so that they are available to a resumed task.
 */
import { appendFile, readFile } from 'node:fs/promises';
import { DEPENDENCY_EXCLUDES } from './private-git-dir.ts';
import { joinNul, runGit, splitNul } from './git.ts';
import { type Outcome, success } from '../base/values/outcome.ts';
import { buildGitCall, type WorkTree } from './work-tree.ts';

const MAX_PATHS_IN_CALL = 200;

const recordFileOf = ({ baseIndex }: Pick<WorkTree, 'baseIndex'>): string => `${baseIndex}.written`;

/** Records paths as part of the work even if git ignores them. */
export const recordPaths = (tree: Pick<WorkTree, 'baseIndex'>, paths: readonly Buffer[]): Promise<void> =>
  appendFile(recordFileOf(tree), joinNul(paths));

/** Records the ignored paths that file tools write in one folder. */
export class WrittenPaths {
  /** Paths in folders of dependencies, which are never part of a commit. */
  readonly dependencyPaths = new Set<string>();
  readonly #tree: WorkTree;
  readonly #isPersistent: boolean;
  readonly #checkedPaths = new Set<string>();
  #recordedPaths: Promise<Map<string, Buffer>> | undefined;

  /** Creates an empty record. `isPersistent`: whether the paths are stored for a resumed task. */
  constructor(tree: WorkTree, { isPersistent }: { isPersistent: boolean }) {
    this.#tree = tree;
    this.#isPersistent = isPersistent;
  }

  /**
   * Records a path, relative to the folder, if git ignores it. Must be called before the path is written. Rejects only if the disk fails.
   */
  async record(path: string): Promise<void> {
    if (this.#checkedPaths.has(path)) return;
    const bytes = Buffer.from(path);
    // A path in the index is not ignored. If git refuses to check a path, it cannot store it either, so the path is not recorded. Pathspecs
    // cannot be literal here, but git reads a path that begins with `./` literally.
    const input = joinNul([Buffer.from(`./${path}`)]);
    const env = { GIT_LITERAL_PATHSPECS: '0' };
    const ignored = await runGit(buildGitCall(this.#tree, ['check-ignore', '-z', '--stdin'], { input, env }));
    if (ignored.ok && isDependencyPath(path)) this.dependencyPaths.add(path);
    else if (ignored.ok) {
      const recorded = await this.#readRecordedPaths();
      if (this.#isPersistent) await recordPaths(this.#tree, [bytes]);
      recorded.set(path, bytes);
    }
    this.#checkedPaths.add(path);
  }

  /** Lists the recorded paths that are in the folder and not in its index. */
  async listUntracked(tree: WorkTree, signal?: AbortSignal): Promise<Outcome<Buffer[]>> {
    const paths = [...(await this.#readRecordedPaths()).values()];
    const found: Buffer[] = [];
    for (let start = 0; start < paths.length; start += MAX_PATHS_IN_CALL) {
      const names = paths.slice(start, start + MAX_PATHS_IN_CALL).map(String);
      const listed = await runGit(buildGitCall(tree, ['ls-files', '-z', '-o', '--', ...names], { signal }));
      if (!listed.ok) return listed;
      for (const path of splitNul(listed.value)) if (path.at(-1) !== SLASH_BYTE) found.push(path);
    }
    return success(found);
  }

  #readRecordedPaths(): Promise<Map<string, Buffer>> {
    this.#recordedPaths ??= this.#isPersistent
      ? readPaths(this.#tree)
      : Promise.resolve(new Map<string, Buffer>());
    return this.#recordedPaths;
  }
}

async function readPaths(tree: WorkTree): Promise<Map<string, Buffer>> {
  const bytes = await readFile(recordFileOf(tree)).catch(() => Buffer.alloc(0));
  return new Map(splitNul(bytes).map((path) => [String(path), path]));
}

const SLASH_BYTE = '/'.charCodeAt(0);

const isDependencyPath = (path: string): boolean =>
  path.split('/').some((name) => DEPENDENCY_EXCLUDES.includes(name));
