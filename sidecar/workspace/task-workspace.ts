/**
 * The workspace that `prepareWorkspace` and `openFolderWorkspace` return: the port's `TaskWorkspace` and further parts for a worker. The
 * folder belongs to the task; everything else is stored outside of it.
 */
import type { TaskWorkspace } from '../base/ports.ts';
import type { BaseTree } from './base-tree.ts';
import type { CheckTreeProvider } from './check-tree.ts';
import type { Outcome } from '../base/values/outcome.ts';

/** The place where the work of a task is available. */
export interface Publication {
  branch: string;
  commit: string;
  /** `source`: in the local repository the task came from; `remote`: pushed; `cache`: on this worker only. */
  where: 'source' | 'remote' | 'cache';
}

export interface PreparedWorkspace extends TaskWorkspace {
  /** Git dirs behind the folder; the sandbox mounts them read-only, never writable. */
  readonly gitDirs: readonly string[];
  /** The folder of the repository that the task works in, if it is not the root. */
  readonly subfolder?: string;
  /** Work tree of a local source, where dependencies may be shared from. */
  readonly sourcePath?: string;
  /** Whether a local source has uncommitted edits, which are not part of the task; git reads all of its files for that. */
  readonly sourceDirty: Promise<boolean>;
  /** Differences from a checkout of the owner, in sentences that begin with a small letter. */
  readonly notes?: readonly string[];
  /** Warnings for the user about the making of the workspace, in sentences that begin with a small letter. */
  readonly warnings?: readonly string[];
  /** Whether the workspace began with the unmerged work of a task. */
  readonly beganFromTask?: boolean;
  /** For a follow-up: whether the workspace contains the change of the earlier task, as a commit or a patch. */
  readonly hasEarlierWork?: boolean;
  /** Records that a file tool writes a path, relative to the folder, which is then part of the work even if the repository ignores it. */
  readonly onWrite: (path: string) => Promise<void>;
  /** Returns the paths that differ from the last `commit` (or from the base before the first); `git_clean` checks them. */
  listUncommittedFiles(): Promise<string[]>;
  /**
   * Publishes the committed branch: to a local source, or to the remote if pushing is on. Returns undefined if nothing is committed. Call
   * it after `commit` and before the result is built.
   */
  publish(): Promise<Outcome<Publication | undefined>>;
  /** Checks a state out into the tree in which only checks run, as soon as it is free. */
  readonly checkOut: CheckTreeProvider;
  /** Stores the present tracked and untracked files and returns git's id of their tree. */
  storePresentTree(): Promise<Outcome<string>>;
  /** Restores the files of a tree by its id. Ignored files are not changed. */
  restore(treeId: string): Promise<Outcome<true>>;
  /** The base of the workspace. */
  readonly base: BaseTree;
}
