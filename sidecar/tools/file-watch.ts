/** Defines what a model knows of files, for the tools that change them. */

export interface FileKnowledge {
  /** Returns whether the model knows the file's whole text: it was shown, read, or written by the model itself. */
  isKnown(path: string): boolean;
  /** Returns whether the model created the file in this task. */
  isOwn(path: string): boolean;
}

/** The files that a call revealed or changed; recorded in its result's `details.files`, so that a resumed task restores them. */
export interface FileChanges {
  /** Files whose whole text was in the result. */
  known?: string[];
  created?: string[];
}

/** Returns the files that a result revealed or created. */
export const fileChangesOf = (details: Record<string, unknown> | undefined): FileChanges =>
  details?.files ?? {};
