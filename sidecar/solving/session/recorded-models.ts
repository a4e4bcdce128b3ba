/**
 * Models of a recorded session as a server that lists them and answers no question. The answers come from the session's journal, so only a
 * question without a recorded answer is ever sent.
 */
import type { ChatReply, ModelFailure, ModelServer } from '../../model/chat.ts';
import type { RecordedExchange } from './request-log.ts';
import { success } from '../../base/values/outcome.ts';

const DEFAULT_CONTEXT_TOKENS = 32_768;

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

const UNANSWERED: ModelFailure = {
  code: 'model_unreachable',
  message:
    'The recorded session has no answer to this question: it ends here, or the task took another course',
  retryable: false,
};

/** Returns a server that lists the models of these exchanges, with the window of the first exchange. */
export function recordedModels(exchanges: readonly RecordedExchange[]): ModelServer {
  const contextLength = exchanges[0]?.request.options?.num_ctx ?? DEFAULT_CONTEXT_TOKENS;
  const names = [...new Set(exchanges.map(({ request }) => request.model))];
  const capabilities = ['completion', 'tools'];
  const succeed = <T>(value: T) => Promise.resolve(success(value));
  return {
    chat: ({ messages }) =>
      messages.length === 0 ? succeed(LOADED) : Promise.resolve({ ok: false, failure: UNANSWERED }),
    show: (model) => succeed({ model, capabilities, contextLength }),
    list: () => succeed(names.map((name) => ({ name, sizeBytes: 0 }))),
    loaded: () => succeed(names.map((name) => ({ name, contextLength, sizeBytes: 0, vramBytes: 0 }))),
    pull: () => succeed(true),
    version: () => succeed('replay'),
    abort: () => undefined,
  };
}
