/** The files of a task that the model has seen: files that the task shows, and files that tool results report. */
import { posix } from 'node:path';
import { fileChangesOf, type FileKnowledge } from '../../tools/file-watch.ts';
import type { ToolCallResult } from '../../tools/types.ts';

export class KnownFiles implements FileKnowledge {
  readonly #workspaceDir: string;
  readonly #shownPaths = new Set<string>();
  readonly #createdPaths = new Set<string>();
  readonly #partlyShownPaths = new Set<string>();

  /** `workspaceDir`: absolute path of the folder to which relative paths refer. */
  constructor(workspaceDir: string) {
    this.#workspaceDir = workspaceDir;
  }

  isKnown(path: string): boolean {
    return this.#shownPaths.has(this.#key(path));
  }

  isOwn(path: string): boolean {
    return this.#createdPaths.has(this.#key(path));
  }

  /** Paths of the files that the model has seen, relative to the workspace; whole files first. */
  get listedPaths(): string[] {
    return [...new Set([...this.#shownPaths, ...this.#partlyShownPaths])];
  }

  /** Records that files were shown to the model, wholly or in part. */
  recordShown(paths: readonly string[], { isWhole = true } = {}): void {
    const seen = isWhole ? this.#shownPaths : this.#partlyShownPaths;
    for (const path of paths) seen.add(this.#key(path));
  }

  /** Records the files that a result reports. */
  recordResult({ details }: Pick<ToolCallResult, 'details'>): void {
    const { known = [], created = [] } = fileChangesOf(details);
    this.recordShown([...known, ...created]);
    for (const path of created) this.#createdPaths.add(this.#key(path));
  }

  #key(path: string): string {
    const relative = posix.isAbsolute(path) ? posix.relative(this.#workspaceDir, path) : path;
    return posix.normalize(relative);
  }
}
