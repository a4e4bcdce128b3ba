/**
 * Compares the workspace of a stage with its last state by git's tree id, in the background after a round with a call that may write, while
 * the model generates.
 */
import type { TaskRun } from '../task/task-run.ts';

export class TreeWatch {
  readonly #workspace: Pick<TaskRun['workspace'], 'treeId'> | undefined;
  /** Number of comparisons that found a change; `settled` waits for the last comparison. */
  changes = 0;
  #last: string | undefined;
  #pending: Promise<boolean> = Promise.resolve(false);

  /** Begins with the present state. Without a workspace nothing is compared, since no file should change. */
  constructor(workspace: Pick<TaskRun['workspace'], 'treeId'> | undefined) {
    this.#workspace = workspace;
    if (workspace) this.#pending = this.#hasChanged().then(() => false);
  }

  /** Whether the stage should change files. */
  get isOn(): boolean {
    return this.#workspace !== undefined;
  }

  /** Compares the content with the last state. Resolves to whether they differ. Never rejects. */
  compare(): Promise<boolean> {
    if (!this.isOn) return this.#pending;
    this.#pending = this.#pending.then(async () => {
      const isChanged = await this.#hasChanged();
      if (isChanged) this.changes += 1;
      return isChanged;
    });
    return this.#pending;
  }

  /** Waits for the running comparisons. */
  async settled(): Promise<void> {
    await this.#pending;
  }

  /**
   * Reads the tree id and returns whether it changed. A workspace that cannot be compared counts as changed, since it must not end a task
   * that may be working.
   */
  async #hasChanged(): Promise<boolean> {
    const tree = await this.#workspace?.treeId().catch(() => undefined);
    const now = tree?.ok ? tree.value : undefined;
    const isChanged = now === undefined || now !== this.#last;
    this.#last = now;
    return isChanged;
  }
}
