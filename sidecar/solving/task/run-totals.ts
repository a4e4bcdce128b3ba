/**
 * The figures of a whole task so far, over all its stages: every answer counts, malformed ones and corrective
 * rounds included.
 */
import type { ModelUse } from '../../model/spent.ts';
import type { ParsedAnswer } from '../../parsing/answers/result.ts';
import type { OnProgress } from '../../base/ports.ts';

/** The figures of a task at some moment. */
export type Used = Omit<RunTotals, 'used' | 'use' | 'addUse' | 'countAnswer'> & {
  use?: ModelUse;
};

export class RunTotals {
  /** Answers of the model. */
  iterations = 0;
  tokensIn = 0;
  tokensOut = 0;
  costUsd = 0;
  /** Some of the tokens are estimates. */
  isEstimated = false;
  malformedAnswers = 0;
  /** The model's time and tokens for the answers. */
  readonly use: ModelUse = { readTokens: 0, waitedMs: 0, loadMs: 0, readMs: 0, writeMs: 0 };
  /** Last text of the model that said something; the output of a forced stop. */
  lastText = '';

  readonly #onAnswer: ((layer: string) => void) | undefined;

  /** `onAnswer` gets the layer of the parser that read each answer, for metrics. */
  constructor(onAnswer?: (layer: string) => void) {
    this.#onAnswer = onAnswer;
  }

  /** The figures as they are now. */
  get used(): Used {
    const { iterations, tokensIn, tokensOut, costUsd, isEstimated, malformedAnswers, lastText } = this;
    const use = { ...this.use };
    return { iterations, tokensIn, tokensOut, costUsd, isEstimated, malformedAnswers, lastText, use };
  }

  addUse(more: ModelUse): void {
    for (const key of Object.keys(this.use) as (keyof ModelUse)[]) this.use[key] += more[key];
  }

  countAnswer(parsed: ParsedAnswer): void {
    if (parsed.type === 'malformed') this.malformedAnswers += 1;
    this.#onAnswer?.(parsed.type === 'tool_calls' ? parsed.layer : parsed.type);
  }
}

/** Adds to each event what the task has used until now, so that tokens and cost can be followed live. */
export function withFigures(emit: OnProgress, totals: RunTotals): OnProgress {
  return (event) => {
    const tokens = totals.tokensIn + totals.tokensOut;
    const figures = tokens > 0 && { tokens_so_far: tokens, cost_usd_so_far: totals.costUsd };
    emit({ ...figures, ...event });
  };
}
