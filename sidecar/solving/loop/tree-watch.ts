/**
 * Compares the workspace of a stage with its previous state by git's tree id. This runs in the background after each round that may have
 * written, while the model generates.
 */
import type { TaskRun } from '../task/task-run.ts';

export class TreeWatch {
  readonly #workspace: Pick<TaskRun['workspace'], 'storePresentTree'> | undefined;
  /** Number of comparisons that found a change; complete only after `waitForComparisons`. */
  changeCount = 0;
  #lastTreeId: string | undefined;
  #pendingComparison: Promise<boolean> = Promise.resolve(false);

  /** Starts with the current state. Without a workspace nothing is compared, since no file should change. */
  constructor(workspace: Pick<TaskRun['workspace'], 'storePresentTree'> | undefined) {
    this.#workspace = workspace;
    if (workspace) this.#pendingComparison = this.#hasChanged().then(() => false);
  }

  /** Whether changes are watched, because the stage should change files. */
  get isEnabled(): boolean {
    return this.#workspace !== undefined;
  }

  /** Compares the content with the previous state. Resolves to true if they differ. Never rejects. */
  compare(): Promise<boolean> {
    if (!this.isEnabled) return this.#pendingComparison;
    this.#pendingComparison = this.#pendingComparison.then(async () => {
      const isChanged = await this.#hasChanged();
      if (isChanged) this.changeCount += 1;
      return isChanged;
    });
    return this.#pendingComparison;
  }

  /** Waits for the running comparisons. */
  async waitForComparisons(): Promise<void> {
    await this.#pendingComparison;
  }

  /**
   * Reads the tree id and returns whether it changed. A workspace that cannot be compared counts as changed, since an error must not look
   * like a stall.
   */
  async #hasChanged(): Promise<boolean> {
    const tree = await this.#workspace?.storePresentTree().catch(() => undefined);
    const treeId = tree?.ok ? tree.value : undefined;
    const isChanged = treeId === undefined || treeId !== this.#lastTreeId;
    this.#lastTreeId = treeId;
    return isChanged;
  }
}
