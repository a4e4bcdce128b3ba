/**
 * Compares the workspace of a stage with its last state, by git's tree id: in the background after a round with a call that
 * may write, while the model is thinking already.
 */
import type { TaskRun } from '../task/task-run.ts';

export class TreeWatch {
  readonly #workspace: Pick<TaskRun['workspace'], 'treeId'> | undefined;
  /** How many comparisons found a change; `settled` waits for the last one. */
  changes = 0;
  #last: string | undefined;
  #pending: Promise<boolean> = Promise.resolve(false);

  /** Without a workspace nothing is to change, and nothing is compared. */
  constructor(workspace: Pick<TaskRun['workspace'], 'treeId'> | undefined) {
    this.#workspace = workspace;
    if (workspace) this.#pending = this.#look().then(() => false);
  }

  /** Whether the stage is to change files. */
  get isOn(): boolean {
    return this.#workspace !== undefined;
  }

  /** Resolves to whether the content differs from the last state. Never rejects. */
  compare(): Promise<boolean> {
    if (!this.isOn) return this.#pending;
    this.#pending = this.#pending.then(async () => {
      const isChanged = await this.#look();
      if (isChanged) this.changes += 1;
      return isChanged;
    });
    return this.#pending;
  }

  /** Waits for the comparisons that run. */
  async settled(): Promise<void> {
    await this.#pending;
  }

  /** A workspace that cannot be compared counts as changed: it must not end a task that may be working. */
  async #look(): Promise<boolean> {
    const tree = await this.#workspace?.treeId().catch(() => undefined);
    const now = tree?.ok ? tree.value : undefined;
    const isChanged = now === undefined || now !== this.#last;
    this.#last = now;
    return isChanged;
  }
}
