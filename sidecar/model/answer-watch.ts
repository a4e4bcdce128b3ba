/**
 * Ends an answer as soon as what it holds is all that is wanted, where no stop sequence can say so beforehand. The server
 * gives no counts for such an answer: the tokens of the prompt are told as 0, those written as they were heard.
 */
import type { Clock } from '../ports.ts';
import type { ChatOutcome } from './chat.ts';

/** What of the answer so far is wanted, once nothing more is; undefined while it may go on. */
export type EndOfAnswer = (content: string) => string | undefined;

export interface AnswerWatch {
  readonly signal: AbortSignal;
  /** Called for each piece of the answer. */
  heard: (delta: { content: string }) => void;
  /** The outcome of the call; an answer that was ended here is no failure. */
  outcomeOf: (outcome: ChatOutcome) => ChatOutcome;
}

export function watchAnswer(clock: Clock, endOf: EndOfAnswer): AnswerWatch {
  const over = new AbortController();
  let content = '';
  let firstMs: number | undefined;
  return {
    signal: over.signal,
    heard({ content: piece }) {
      content += piece;
      firstMs ??= clock.monotonicMs();
      // Only a whole line tells more than the last one did.
      if (piece.includes('\n') && endOf(content) !== undefined) over.abort();
    },
    outcomeOf(outcome) {
      if (outcome.ok || outcome.failure.code !== 'aborted') return outcome;
      const { partial } = outcome.failure;
      const wanted = partial && endOf(partial.content);
      if (!partial || wanted === undefined) return outcome;
      const evalNs = firstMs === undefined ? 0 : Math.round((clock.monotonicMs() - firstMs) * 1e6);
      return {
        ok: true,
        value: {
          message: { role: 'assistant', content: wanted },
          doneReason: 'stop',
          tokensIn: 0,
          tokensOut: partial.tokensOut,
          totalNs: 0,
          loadNs: 0,
          promptEvalNs: 0,
          evalNs,
        },
      };
    },
  };
}
