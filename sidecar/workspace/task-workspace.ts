/**
 * The workspace that `prepareWorkspace` and `openFolderWorkspace` give: the port's `TaskWorkspace` and what a worker needs
 * around it. The folder belongs to the task, everything else here is kept outside of it.
 */
import type { Outcome, TaskWorkspace } from '../base/ports.ts';
import type { BaseTree } from './base-tree.ts';
import type { CheckOut } from './check-tree.ts';

/** Where others find the work of a task. */
export interface Publication {
  branch: string;
  commit: string;
  /** `source`: in the local repository the task came from; `remote`: pushed; `cache`: on this worker only. */
  where: 'source' | 'remote' | 'cache';
}

export interface PreparedWorkspace extends TaskWorkspace {
  /** Git dirs behind the folder; the sandbox mounts them read-only, never writable. */
  readonly gitDirs: readonly string[];
  /** The folder of the repository that the task works in, if that is not its root. */
  readonly subfolder?: string;
  /** Work tree of a local source, where dependencies may be shared from. */
  readonly sourcePath?: string;
  /** Whether a local source has edits that are not committed, and so not part of the task: git looks at all of its files. */
  readonly sourceDirty: Promise<boolean>;
  /** Differences from a checkout of the owner, in sentences that begin with a small letter. */
  readonly notes?: readonly string[];
  /** Warnings for the user about the making of the workspace, in sentences that begin with a small letter. */
  readonly warnings?: readonly string[];
  /** It began from the work of a task that is not merged. */
  readonly beganFromTask?: boolean;
  /** The change of an earlier task is in it, by its commit or its patch: for a follow-up. */
  readonly hasEarlierWork?: boolean;
  /** Records that a file tool writes a path, relative to the folder: it is part of the work, although the repository may ignore it. */
  readonly onWrite: (path: string) => Promise<void>;
  /** Paths that differ from the last `commit` (or the base before the first); what `git_clean` checks. */
  uncommittedFiles(): Promise<string[]>;
  /**
   * Puts the committed branch where others can fetch it: into a local source, or to the remote where pushing is
   * on. Undefined when there is nothing committed. Call it after `commit` and before the result is built.
   */
  publish(): Promise<Outcome<Publication | undefined>>;
  /** Checks a state out into the tree in which only checks run, as soon as it is free. */
  readonly checkOut: CheckOut;
  /** Stores the tracked and untracked files as they are now and returns git's id of their tree. */
  treeId(): Promise<Outcome<string>>;
  /** Puts the files back to a tree by its id. Ignored files stay as they are. */
  restore(treeId: string): Promise<Outcome<true>>;
  /** The base of the workspace. */
  readonly base: BaseTree;
}
