/** A model server of which only `chat` is another: to watch or record what is asked, at the port. */
import type { ModelServer } from '../ports.ts';

/** `server` with another `chat`; all other calls go to `server` as they are. */
export function withChat(server: ModelServer, chat: ModelServer['chat']): ModelServer {
  return {
    chat,
    show: (model, signal) => server.show(model, signal),
    list: (signal) => server.list(signal),
    loaded: (signal) => server.loaded(signal),
    pull: (model, call) => server.pull(model, call),
    version: (signal) => server.version(signal),
    abort: () => server.abort(),
  };
}
