/** Defines a model's knowledge of files, which the tools that change files check. */

export interface FileKnowledge {
  /** Returns whether the model knows the file's whole text: it was shown, read, or written by the model itself. */
  isKnown(path: string): boolean;
  /** Returns whether the model created the file in this task. */
  isOwn(path: string): boolean;
}

/**
 * Files that a call revealed or changed. They are recorded in `details.files` of the result, so that a resumed task restores the knowledge.
 */
export interface FileChanges {
  /** Files whose whole text was in the result. */
  known?: string[];
  created?: string[];
}

/** Returns the files that a result revealed or created. */
export const fileChangesOf = (details: Record<string, unknown> | undefined): FileChanges =>
  details?.files ?? {};
