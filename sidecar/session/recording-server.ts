/**
 * A model server whose calls are recorded in a session, at the port: everything that is sent is there, retries
 * included, and no other code has to think of it (planning.md, Session folder, `requests.jsonl`).
 */
import type { ModelServer } from '../ports.ts';
import type { Session } from './session.ts';

/** Calls go to `server`; those that ask something are recorded. Requests that only load the model are not. */
export function recordingServer(
  server: ModelServer,
  session: Pick<Session, 'request' | 'answer'>,
): ModelServer {
  return {
    async chat(request, call) {
      if (request.messages.length === 0) return server.chat(request, call);
      const number = session.request(request);
      const outcome = await server.chat(request, call);
      session.answer(number, outcome);
      return outcome;
    },
    show: (model, signal) => server.show(model, signal),
    list: (signal) => server.list(signal),
    loaded: (signal) => server.loaded(signal),
    pull: (model, call) => server.pull(model, call),
    version: (signal) => server.version(signal),
    abort: () => server.abort(),
  };
}
