/**
 * Defines the workspace that `prepareWorkspace` and `openFolderWorkspace` return: the port's `TaskWorkspace` and further parts for a
 * worker. The folder belongs to the task; everything else is stored outside of it.
 */
import type { TaskWorkspace } from '../base/ports.ts';
import type { BaseTree } from './base-tree.ts';
import type { CheckTreeProvider } from './check-tree.ts';
import type { Outcome } from '../base/values/outcome.ts';

/** Location at which the work of a task was published. */
export interface Publication {
  branch: string;
  commit: string;
  /** `source`: in the local repository of the task; `remote`: pushed; `cache`: on this worker only. */
  where: 'source' | 'remote' | 'cache';
}

export interface PreparedWorkspace extends TaskWorkspace {
  /** Git dirs to which the folder's `.git` refers. The sandbox mounts them read-only, never writable. */
  readonly gitDirs: readonly string[];
  /** Folder of the repository in which the task works, if it is not the root. */
  readonly subfolder?: string;
  /** Work tree of the local source, from which dependencies may be shared. */
  readonly sourcePath?: string;
  /**
   * Whether the local source has uncommitted edits, which are not part of the task. A promise, since git reads all files of the source for
   * the answer.
   */
  readonly sourceDirty: Promise<boolean>;
  /** Differences between the workspace and the user's own checkout; sentences that start in lower case. */
  readonly notes?: readonly string[];
  /** Warnings for the user about the preparation of the workspace; sentences that start in lower case. */
  readonly warnings?: readonly string[];
  /** Whether the workspace began with another task's work that has not been merged. */
  readonly beganFromTask?: boolean;
  /** For a follow-up: whether the workspace contains the changes of the earlier task, as a commit or a patch. */
  readonly hasEarlierWork?: boolean;
  /**
   * Called with a path, relative to the folder, before a file tool writes it. The path is then part of the work even if the repository
   * ignores it.
   */
  readonly onWrite: (path: string) => Promise<void>;
  /** Returns the paths that differ from the last `commit` (or from the base before the first); `git_clean` checks them. */
  listUncommittedFiles(): Promise<string[]>;
  /**
   * Publishes the branch with the committed work: to the local source, or to the remote if pushing is on. Returns undefined if nothing is
   * committed. Must be called after `commit` and before the result is built.
   */
  publish(): Promise<Outcome<Publication | undefined>>;
  /** Waits until the check tree is free, and checks out a state in it. Only checks run there. */
  readonly checkOut: CheckTreeProvider;
  /** Stores the present tracked and untracked files as a git tree. Returns the id of the tree. */
  storePresentTree(): Promise<Outcome<string>>;
  /** Restores the files of a stored tree. Ignored files are not changed. */
  restore(treeId: string): Promise<Outcome<true>>;
  /** The base of the workspace. */
  readonly base: BaseTree;
}
