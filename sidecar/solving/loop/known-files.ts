/** The files of a task that the model knows: files that the task shows, and those that results report. */
import { posix } from 'node:path';
import { newsOf, type FileWatch } from '../../tools/file-watch.ts';
import type { ToolCallResult } from '../../tools/types.ts';

export class KnownFiles implements FileWatch {
  readonly #workspaceDir: string;
  readonly #known = new Set<string>();
  readonly #own = new Set<string>();
  readonly #shownInPart = new Set<string>();

  /** `workspaceDir`: absolute path of the folder to which relative paths refer. */
  constructor(workspaceDir: string) {
    this.#workspaceDir = workspaceDir;
  }

  isKnown(path: string): boolean {
    return this.#known.has(this.#key(path));
  }

  isOwn(path: string): boolean {
    return this.#own.has(this.#key(path));
  }

  /** Paths of the files that the model has seen, relative to the workspace; whole files first. */
  get shown(): string[] {
    return [...new Set([...this.#known, ...this.#shownInPart])];
  }

  /** Records that files were shown to the model, wholly or in part. */
  show(paths: readonly string[], { isWhole = true } = {}): void {
    const seen = isWhole ? this.#known : this.#shownInPart;
    for (const path of paths) seen.add(this.#key(path));
  }

  /** Records the files that a result reports. */
  learn({ details }: Pick<ToolCallResult, 'details'>): void {
    const { known = [], created = [] } = newsOf(details);
    this.show([...known, ...created]);
    for (const path of created) this.#own.add(this.#key(path));
  }

  #key(path: string): string {
    const relative = posix.isAbsolute(path) ? posix.relative(this.#workspaceDir, path) : path;
    return posix.normalize(relative);
  }
}
