/**
 * A model server that gives the answers of a recorded session in their order, so that a task runs again without a
 * model. Tools run for real, so what is asked may differ from what was recorded (times,
 * a changed workspace): the first such request is reported, and the answers continue.
 */
import type { ChatMessage, ChatOutcome, ChatReply, ChatRequest, ModelFailure } from '../model/chat.ts';
import type { ModelServer } from '../ports.ts';
import type { RecordedExchange } from './request-log.ts';

export interface ReplayOptions {
  /** Called once, with the number of the first request that is not the recorded one. */
  onDivergence?: (requestNumber: number) => void;
}

const VERSION = 'replay';
const DEFAULT_CONTEXT_TOKENS = 32_768;

/** Answers in order of asking, whatever is asked. After the last one every call fails with `model_unreachable`. */
export function replayServer(
  recorded: readonly RecordedExchange[],
  options: ReplayOptions = {},
): ModelServer {
  const exchanges = recorded.filter(({ outcome }) => outcome !== undefined && !willBeRetried(outcome));
  const [first] = exchanges;
  const contextLength = first?.request.options?.num_ctx ?? DEFAULT_CONTEXT_TOKENS;
  const models = [...new Set(exchanges.map(({ request }) => request.model))];
  const capabilities = capabilitiesOf(exchanges);
  let next = 0;
  let diverged = false;

  const chat: ModelServer['chat'] = (request, { onDelta }) => {
    if (request.messages.length === 0) return Promise.resolve({ ok: true, value: LOADED });
    const exchange = exchanges[next++];
    if (!exchange?.outcome) return Promise.resolve({ ok: false, failure: overAfter(exchanges.length) });
    if (!diverged && !isAlike(exchange.request, request)) {
      diverged = true;
      options.onDivergence?.(exchange.number);
    }
    const { outcome } = exchange;
    if (request.stream && outcome.ok) {
      const { content, thinking = '' } = outcome.value.message;
      onDelta?.({ content, thinking });
    }
    return Promise.resolve(outcome);
  };
  return {
    chat,
    show: (model) => Promise.resolve({ ok: true, value: { model, capabilities, contextLength } }),
    list: () => Promise.resolve({ ok: true, value: models.map((name) => ({ name, sizeBytes: 0 })) }),
    loaded: () =>
      Promise.resolve({
        ok: true,
        value: models.map((name) => ({ name, contextLength, sizeBytes: 0, vramBytes: 0 })),
      }),
    pull: () => Promise.resolve({ ok: true, value: true }),
    version: () => Promise.resolve({ ok: true, value: VERSION }),
    abort: () => undefined,
  };
}

const LOADED: ChatReply = {
  message: { role: 'assistant', content: '' },
  doneReason: 'load',
  tokensIn: 0,
  tokensOut: 0,
  totalNs: 0,
  loadNs: 0,
  promptEvalNs: 0,
  evalNs: 0,
};

/** A failure that was retried: replaying it would only repeat the wait. */
const willBeRetried = (outcome: ChatOutcome): boolean => !outcome.ok && outcome.failure.retryable === true;

const capabilitiesOf = (exchanges: readonly RecordedExchange[]): string[] => [
  'completion',
  ...(exchanges.some(({ request }) => request.tools?.length) ? ['tools'] : []),
  ...(exchanges.some(({ request }) => request.think) ? ['thinking'] : []),
];

const overAfter = (count: number): ModelFailure => ({
  code: 'model_unreachable',
  message: `The recorded session ends after ${count} answers`,
  retryable: false,
});

/** Whether two conversations are equal except for tool results, which depend on times and on the workspace. */
function isAlike(recorded: Pick<ChatRequest, 'messages'>, asked: Pick<ChatRequest, 'messages'>): boolean {
  const shape = ({ role, content, tool_calls, tool_name }: ChatMessage) =>
    role === 'assistant' ? [role, content, tool_calls] : [role, tool_name];
  return JSON.stringify(recorded.messages.map(shape)) === JSON.stringify(asked.messages.map(shape));
}
