/**
 * The model's knowledge of the files of a task. It comes from what the task shows and from the news in results alone.
 */
import { posix } from 'node:path';
import { newsOf, type FileWatch } from '../../tools/file-watch.ts';
import type { ToolCallResult } from '../../tools/types.ts';

export class KnownFiles implements FileWatch {
  readonly #workspaceDir: string;
  readonly #known = new Set<string>();
  readonly #own = new Set<string>();
  readonly #shownInPart = new Set<string>();

  /** `workspaceDir`: absolute; where relative paths begin. */
  constructor(workspaceDir: string) {
    this.#workspaceDir = workspaceDir;
  }

  isKnown(path: string): boolean {
    return this.#known.has(this.#key(path));
  }

  isOwn(path: string): boolean {
    return this.#own.has(this.#key(path));
  }

  /** Paths, relative to the workspace, of files of which the model has seen something, whole ones first. */
  get shown(): string[] {
    return [...new Set([...this.#known, ...this.#shownInPart])];
  }

  /** These files were shown to the model, whole or in part. */
  show(paths: readonly string[], { isWhole = true } = {}): void {
    const seen = isWhole ? this.#known : this.#shownInPart;
    for (const path of paths) seen.add(this.#key(path));
  }

  /** Takes up what a result teaches. */
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
