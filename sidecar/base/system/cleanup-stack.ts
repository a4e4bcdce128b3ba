/** Things that were opened, to be closed in the opposite order, whatever happened in between. */
export class CleanupStack {
  #closers: (() => Promise<unknown> | void)[] = [];

  /** Adds what closes something that was just opened. */
  add(closer: () => Promise<unknown> | void): void {
    this.#closers.push(closer);
  }

  /** Closes all, newest first; one that fails does not keep the others open, the first failure is thrown at the end. Safe to call twice. */
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
