/**
 * How much a model may think before an answer. Thinking that goes on for ever brings no answer: past the budget the call
 * is stopped, and made again without thinking, or with as little as the model's profile says it can be asked for. Pure.
 */
import type { CatalogEntry } from './catalog.ts';
import type { Think } from './catalog-schema.ts';

/** At most this part of the window: prompt and answer have to fit beside the thinking. */
const WINDOW_PART = 0.5;

/** Tokens of thinking for one answer; undefined where the call thinks no more than it would without. */
export function thinkingBudget(
  think: Think,
  { thinking }: Pick<CatalogEntry, 'thinking'>,
  windowTokens: number,
): number | undefined {
  if (think === false || think === thinking.after) return undefined;
  return Math.min(thinking.budgetTokens, Math.floor(windowTokens * WINDOW_PART));
}

/** Stops one call once it has thought for longer than its budget. */
export interface ThinkingWatch {
  readonly signal: AbortSignal;
  /** Called for each piece of the answer; a server sends about one token a piece. */
  onDelta(delta: { thinking: string }): void;
}

export function watchThinking(budgetTokens: number): ThinkingWatch {
  const over = new AbortController();
  let tokens = 0;
  return {
    signal: over.signal,
    onDelta: ({ thinking }) => {
      if (thinking === '') return;
      tokens += 1;
      if (tokens > budgetTokens) over.abort();
    },
  };
}
