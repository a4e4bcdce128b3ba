/** Overrides only the `chat` of a model server, to observe or record calls. */
import type { ModelServer } from './chat.ts';

/** Returns `server` with another `chat`; all other calls pass through. */
export function replaceChat(server: ModelServer, chat: ModelServer['chat']): ModelServer {
  return {
    chat,
    show: (model, signal) => server.show(model, signal),
    list: (signal) => server.list(signal),
    listLoaded: (signal) => server.listLoaded(signal),
    pull: (model, call) => server.pull(model, call),
    version: (signal) => server.version(signal),
    abort: () => server.abort(),
  };
}
