/**
 * Presents the models of a recorded session as a model server. The server lists them and answers no question. During a replay the answers
 * come from the session's recorded input, so only a question without a recorded answer reaches this server.
 */
import type { ChatReply, ModelFailure, ModelServer } from '../../model/chat.ts';
import type { RecordedExchange } from './request-log.ts';
import { success } from '../../base/values/outcome.ts';

const DEFAULT_CONTEXT_TOKENS = 32_768;

const LOAD_REPLY: ChatReply = {
  message: { role: 'assistant', content: '' },
  doneReason: 'load',
  tokensIn: 0,
  tokensOut: 0,
  totalNs: 0,
  loadNs: 0,
  promptEvalNs: 0,
  evalNs: 0,
};

const NO_ANSWER_FAILURE: ModelFailure = {
  code: 'model_unreachable',
  message:
    'The recorded session contains no answer to this question: the session ends here, or the replay asks other questions. Use the settings of the recorded session for the replay',
  retryable: false,
};

/** Creates a server that lists the models of these exchanges, with the context window of the first exchange. */
export function createReplayServer(exchanges: readonly RecordedExchange[]): ModelServer {
  const contextLength = exchanges[0]?.request.options?.num_ctx ?? DEFAULT_CONTEXT_TOKENS;
  const names = [...new Set(exchanges.map(({ request }) => request.model))];
  const capabilities = ['completion', 'tools'];
  const succeed = <T>(value: T) => Promise.resolve(success(value));
  return {
    chat: ({ messages }) =>
      messages.length === 0
        ? succeed(LOAD_REPLY)
        : Promise.resolve({ ok: false, failure: NO_ANSWER_FAILURE }),
    show: (model) => succeed({ model, capabilities, contextLength }),
    list: () => succeed(names.map((name) => ({ name, sizeBytes: 0 }))),
    listLoaded: () => succeed(names.map((name) => ({ name, contextLength, sizeBytes: 0, vramBytes: 0 }))),
    pull: () => succeed(true),
    version: () => succeed('replay'),
    abort: () => undefined,
  };
}
