/** A task's knowledge of the files that its model works on, as the tools that change files ask for it. */

export interface FileWatch {
  /** Whether the model knows the file's whole text: it was shown, read, or written by the model itself. */
  isKnown(path: string): boolean;
  /** Whether the model made the file in this task. */
  isOwn(path: string): boolean;
}

/** The news of a call about files: kept in its result's `details.files`, so that a resumed task learns it again. */
export interface FileNews {
  /** Their whole text was in the answer. */
  known?: string[];
  created?: string[];
}

/** Where a result carries its news. */
export const newsOf = (details: Record<string, unknown> | undefined): FileNews => details?.files ?? {};
