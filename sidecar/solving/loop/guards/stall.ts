/** Ends a loop without progress. A round is progress if it changed the workspace or showed a new line. */
import { createHash } from 'node:crypto';
import { buildStallWarning } from '../../prompt/loop-messages.ts';
import { extractCommandOutput } from '../../../tools/command-report.ts';
import type { ToolCallResult } from '../../../tools/types.ts';
import type { TreeWatch } from '../tree-watch.ts';
import type { Guard, GuardVerdict } from './guard.ts';

/** Number of consecutive rounds without progress after which the model is warned. */
const WARN_ROUNDS = 5;
/** Number of consecutive rounds without progress after which the stage ends. */
const STOP_ROUNDS = 8;

export class StallGuard implements Guard {
  readonly #watch: Pick<TreeWatch, 'isEnabled' | 'changeCount' | 'waitForComparisons'>;
  readonly #seenLines = new Set<string>();
  #idleRounds = 0;
  #changesBefore = 0;
  #pendingVerdict: Promise<GuardVerdict> = Promise.resolve(undefined);

  constructor(watch: Pick<TreeWatch, 'isEnabled' | 'changeCount' | 'waitForComparisons'>) {
    this.#watch = watch;
  }

  /** Waits for the verdict on the previous round, so that the changes of the next round do not count for it. */
  async checkCalls(): Promise<undefined> {
    await this.#pendingVerdict;
  }

  /** Starts the evaluation. Waits for it only if the round may reach a limit. */
  async checkResults(readResults: readonly ToolCallResult[]): Promise<GuardVerdict> {
    const hasShownNew = this.#recordLines(readResults);
    if (!this.#watch.isEnabled) return undefined;
    const idleRounds = this.#idleRounds + 1;
    this.#pendingVerdict = this.#watch.waitForComparisons().then(() => this.#checkRound(hasShownNew));
    return idleRounds === WARN_ROUNDS || idleRounds >= STOP_ROUNDS ? this.#pendingVerdict : undefined;
  }

  #checkRound(hasShownNew: boolean): GuardVerdict {
    const { changeCount } = this.#watch;
    const isProgress = hasShownNew || changeCount > this.#changesBefore;
    this.#changesBefore = changeCount;
    this.#idleRounds = isProgress ? 0 : this.#idleRounds + 1;
    if (this.#idleRounds >= STOP_ROUNDS) {
      const detail = `no file changed and nothing new was read for ${STOP_ROUNDS} iterations`;
      return { ending: { reason: 'stall', detail } };
    }
    if (this.#idleRounds !== WARN_ROUNDS) return undefined;
    return { warning: buildStallWarning({ rounds: WARN_ROUNDS, roundsLeft: STOP_ROUNDS - WARN_ROUNDS }) };
  }

  /** Records the lines of successful calls. Returns whether one of them is new. */
  #recordLines(results: readonly ToolCallResult[]): boolean {
    const before = this.#seenLines.size;
    for (const { isError, output, details } of results) {
      if (isError || details?.foundNothing) continue;
      const lines = extractCommandOutput(output, details).split('\n');
      for (const line of lines.map((text) => text.trim()).filter(Boolean))
        this.#seenLines.add(createHash('sha256').update(line).digest('base64'));
    }
    return this.#seenLines.size > before;
  }
}
