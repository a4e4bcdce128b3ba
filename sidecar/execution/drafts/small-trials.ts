/** Small changes of the program's own, tried between the checks of the answers until one passes. */
import { areSlow } from '../checking/check-tree.ts';
import { passesAll, type Draft } from './draft.ts';
import type { DraftsOptions } from './drafts-options.ts';
import type { Judging } from './judging.ts';
import type { ShownSuspects } from './shown-suspects.ts';
import { smallChanges } from './small-changes.ts';

/** Their checks take no longer than this together. */
const MAX_MS = 20_000;

export class SmallTrials {
  readonly #options: DraftsOptions;
  readonly #judging: Judging;
  /** One that passes; it is wanted where the first answer does not. */
  passing: Draft | undefined;

  constructor(options: DraftsOptions, judging: Judging) {
    this.#options = options;
    this.#judging = judging;
  }

  /** Ends with the first one that passes. */
  async run(suspects: () => Promise<ShownSuspects>, isOver: () => boolean): Promise<void> {
    const { run, solving, askedBefore } = this.#options;
    // Who drew drafts from this tree before has tried them.
    const isWanted = solving.smallChanges > 0 && askedBefore === 0;
    const base = isWanted ? await this.#options.base : undefined;
    if (!base || passesAll(base) || areSlow(base)) return;
    const { lines, files } = await suspects();
    let left = solving.smallChanges;
    let spentMs = 0;
    for (const change of smallChanges(lines, files)) {
      if (isOver() || run.control.stopReason !== undefined || left === 0 || spentMs > MAX_MS) return;
      left -= 1;
      const tried = await this.#judging.inTurn(async () => {
        const startedMs = run.clock.monotonicMs();
        const draft = await this.#judging.ofSmallChange(change, base);
        spentMs += run.clock.monotonicMs() - startedMs;
        return draft;
      });
      if (tried === undefined || !passesAll(tried.report)) continue;
      this.passing = tried;
      return;
    }
  }
}
