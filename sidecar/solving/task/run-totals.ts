/** Counts the usage of a task over all its stages. Every answer counts, including malformed answers and corrective rounds. */
import type { ModelUse } from '../../model/call-cost.ts';
import type { ParsedAnswer } from '../../parsing/answers/parsed-answer.ts';
import type { OnProgress } from '../../base/ports.ts';

/** Snapshot of a task's usage totals. */
export type UsageTotals = Omit<RunTotals, 'used' | 'use' | 'addModelUse' | 'countAnswer'> & {
  use?: ModelUse;
};

export class RunTotals {
  /** Number of the model's answers. */
  iterations = 0;
  tokensIn = 0;
  tokensOut = 0;
  costUsd = 0;
  /** Whether some of the tokens are estimates. */
  isEstimated = false;
  malformedAnswers = 0;
  /** Time and tokens of the model for all answers. */
  readonly use: ModelUse = { readTokens: 0, waitedMs: 0, loadMs: 0, readMs: 0, writeMs: 0 };
  /** Last text of the model that is not empty. It is the output of a forced stop. */
  lastText = '';

  readonly #onAnswer: ((layer: string) => void) | undefined;

  /** Creates empty totals. `onAnswer` is called with the parser layer that read each answer, for metrics. */
  constructor(onAnswer?: (layer: string) => void) {
    this.#onAnswer = onAnswer;
  }

  /** A snapshot of the current totals. */
  get used(): UsageTotals {
    const { iterations, tokensIn, tokensOut, costUsd, isEstimated, malformedAnswers, lastText } = this;
    const use = { ...this.use };
    return { iterations, tokensIn, tokensOut, costUsd, isEstimated, malformedAnswers, lastText, use };
  }

  addModelUse(more: ModelUse): void {
    for (const key of Object.keys(this.use) as (keyof ModelUse)[]) this.use[key] += more[key];
  }

  countAnswer(parsed: ParsedAnswer): void {
    if (parsed.type === 'malformed') this.malformedAnswers += 1;
    this.#onAnswer?.(parsed.type === 'tool_calls' ? parsed.layer : parsed.type);
  }
}

/** Returns an emitter that adds the task's usage so far to each event, for live tokens and costs. */
export function addUsageFigures(emit: OnProgress, totals: RunTotals): OnProgress {
  return (event) => {
    const tokens = totals.tokensIn + totals.tokensOut;
    const figures = tokens > 0 && { tokens_so_far: tokens, cost_usd_so_far: totals.costUsd };
    emit({ ...figures, ...event });
  };
}
