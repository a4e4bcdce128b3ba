/** Measures how many calls a model server answers at once, by concurrent calls of a loaded model. */
import type { ModelServer } from '../model/chat.ts';
import { createTimeoutSignal } from '../base/system/clock.ts';

const CALL_COUNT = 8;
const ANSWER_TOKENS = 24;
const TIMEOUT_MS = 5_000;
/** Minimum duration of an answer: shorter answers do not show whether they overlap. */
const MIN_ANSWER_MS = 50;

/** Start and end of the generation of an answer, computed from the duration that the server reports. */
interface AnswerSpan {
  fromMs: number;
  toMs: number;
}

/** Returns the median number of answers written at once; undefined if no model is loaded or the answers are too short. */
export async function measureSlots(server: ModelServer): Promise<number | undefined> {
  const loaded = await server.listLoaded(createTimeoutSignal(TIMEOUT_MS));
  const [model] = loaded.ok ? loaded.value : [];
  if (!model) return undefined;
  const signal = createTimeoutSignal(TIMEOUT_MS);
  const ask = async (): Promise<AnswerSpan | undefined> => {
    const messages = [{ role: 'user' as const, content: 'Count from 1 to 100.' }];
    // A window other than the loaded one would reload the model.
    const options = { num_predict: ANSWER_TOKENS, num_ctx: model.contextLength };
    const startMs = performance.now();
    const outcome = await server.chat({ model: model.name, messages, stream: true, options }, { signal });
    const toMs = performance.now();
    const fromMs = outcome.ok ? toMs - outcome.value.evalNs / 1e6 : toMs;
    // A reported duration that is longer than the call itself cannot be right.
    return fromMs > startMs && fromMs < toMs ? { fromMs, toMs } : undefined;
  };
  const spans = (await Promise.all(Array.from({ length: CALL_COUNT }, ask))).filter(
    (span) => span !== undefined,
  );
  const longSpans = spans.filter(({ fromMs, toMs }) => toMs - fromMs >= MIN_ANSWER_MS);
  if (longSpans.length === 0) return undefined;
  const countAnswersAt = (atMs: number): number =>
    longSpans.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs).length;
  // Counts the answers that are written in the middle of each answer: at its start and end, other answers may just
  // start or end.
  const counts = longSpans
    .map(({ fromMs, toMs }) => countAnswersAt((fromMs + toMs) / 2))
    .sort((a, b) => a - b);
  // The median is used because a single count is too high if the end of an answer is read late on a busy machine.
  return counts[Math.floor(counts.length / 2)];
}
