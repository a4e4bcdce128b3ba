/** How many calls a model server answers at once: it is asked several times together, with a model that it has loaded. */
import type { ModelServer } from '../ports.ts';

const CALLS = 8;
const TOKENS = 24;
const LIMIT_MS = 5_000;
/** Answers that are written in less time do not show whether they overlap. */
const MIN_ANSWER_MS = 50;

/** While an answer was written, by the server's own count of the time. */
interface Span {
  fromMs: number;
  toMs: number;
}

/** How many answers were being written at one time, as most of them show; undefined where no model is loaded, or they do not show it. */
export async function measureSlots(server: ModelServer): Promise<number | undefined> {
  const loaded = await server.loaded(AbortSignal.timeout(LIMIT_MS));
  const [model] = loaded.ok ? loaded.value : [];
  if (!model) return undefined;
  const signal = AbortSignal.timeout(LIMIT_MS);
  const ask = async (): Promise<Span | undefined> => {
    const messages = [{ role: 'user' as const, content: 'Count from 1 to 100.' }];
    // Another window than the loaded one would load the model again.
    const options = { num_predict: TOKENS, num_ctx: model.contextLength };
    const askedMs = performance.now();
    const outcome = await server.chat({ model: model.name, messages, stream: true, options }, { signal });
    const toMs = performance.now();
    const fromMs = outcome.ok ? toMs - outcome.value.evalNs / 1e6 : toMs;
    // A time that is longer than the whole call was not measured.
    return fromMs > askedMs && fromMs < toMs ? { fromMs, toMs } : undefined;
  };
  const spans = (await Promise.all(Array.from({ length: CALLS }, ask))).filter((span) => span !== undefined);
  const readable = spans.filter(({ fromMs, toMs }) => toMs - fromMs >= MIN_ANSWER_MS);
  if (readable.length === 0) return undefined;
  const writtenAt = (atMs: number): number =>
    readable.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs).length;
  // In the middle of an answer: at its ends another one may just take or leave the slot.
  const counts = readable.map(({ fromMs, toMs }) => writtenAt((fromMs + toMs) / 2)).sort((a, b) => a - b);
  // The middle one: on a busy machine an end that is read late makes a single count too high.
  return counts[Math.floor(counts.length / 2)];
}
