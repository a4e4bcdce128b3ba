/**
 * Limits thinking before an answer: beyond the budget the call is stopped and repeated without thinking, or with as
 * little as the model's profile allows. Pure.
 */
import type { CatalogEntry } from './catalog.ts';
import type { Think } from './catalog-schema.ts';

/** Maximum thinking as a share of the window, which must also hold prompt and answer. */
const WINDOW_SHARE = 0.5;

/** Returns the limit of thinking tokens for one answer; undefined if thinking is off or cannot be reduced further. */
export function thinkingBudgetOf(
  think: Think,
  { thinking }: Pick<CatalogEntry, 'thinking'>,
  windowTokens: number,
): number | undefined {
  if (think === false || think === thinking.after) return undefined;
  return Math.min(thinking.budgetTokens, Math.floor(windowTokens * WINDOW_SHARE));
}

/** A limiter that stops a call whose thinking exceeds its budget. */
export interface ThinkingLimiter {
  readonly signal: AbortSignal;
  /** Called for each piece of the answer, which is about one token. */
  onDelta(delta: { thinking: string }): void;
}

/** Creates a limiter; its signal aborts after `budgetTokens` of thinking. */
export function limitThinking(budgetTokens: number): ThinkingLimiter {
  const controller = new AbortController();
  let tokens = 0;
  return {
    signal: controller.signal,
    onDelta: ({ thinking }) => {
      if (thinking === '') return;
      tokens += 1;
      if (tokens > budgetTokens) controller.abort();
    },
  };
}
