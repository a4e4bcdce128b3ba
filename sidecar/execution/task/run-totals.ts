/**
 * What a whole task has used and met so far, over all its stages: every answer counts, malformed ones and corrective
 * rounds included.
 */
import type { ParsedAnswer } from '../../model/parsing/result.ts';
import type { OnProgress } from '../../ports.ts';

/** The figures of a task at some moment. */
export type Used = Pick<
  RunTotals,
  'iterations' | 'tokensIn' | 'tokensOut' | 'costUsd' | 'nudges' | 'malformedAnswers' | 'lastText'
>;

export class RunTotals {
  /** Answers of the model. */
  iterations = 0;
  tokensIn = 0;
  tokensOut = 0;
  costUsd = 0;
  nudges = 0;
  malformedAnswers = 0;
  /** Last text of the model that said something; the output of a forced stop. */
  lastText = '';

  readonly #onAnswer: ((layer: string) => void) | undefined;

  /** `onAnswer` hears which layer of the parser read each answer, for metrics. */
  constructor(onAnswer?: (layer: string) => void) {
    this.#onAnswer = onAnswer;
  }

  /** The figures as they are now. */
  get used(): Used {
    const { iterations, tokensIn, tokensOut, costUsd, nudges, malformedAnswers, lastText } = this;
    return { iterations, tokensIn, tokensOut, costUsd, nudges, malformedAnswers, lastText };
  }

  /** Goes on from figures of an earlier life of the task. */
  goOnFrom(used: Used): void {
    Object.assign(this, used);
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
