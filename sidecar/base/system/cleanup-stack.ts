/** Stack of clean-up functions of opened resources. They run in reverse order, also after an error. */
export class CleanupStack {
  #closers: (() => Promise<unknown> | void)[] = [];

  /** Adds a function that closes a resource. To be called directly after the resource was opened. */
  add(closer: () => Promise<unknown> | void): void {
    this.#closers.push(closer);
  }

  /**
   * Closes all resources, newest first. If one fails, the others are still closed; the first error is thrown
   * at the end. May be called twice.
   */
  readonly close = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const closer of this.#closers.splice(0).toReversed()) {
      try {
        await closer();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
}
