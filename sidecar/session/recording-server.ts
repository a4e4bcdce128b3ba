/**
 * A model server that records its calls in a session. It implements the port, so that everything sent is recorded,
 * retries included.
 */
import type { ModelServer } from '../ports.ts';
import { withChat } from '../model/with-chat.ts';
import type { Session } from './session.ts';

/** Calls go to `server`; those that ask something are recorded. Requests that only load the model are not. */
export function recordingServer(
  server: ModelServer,
  session: Pick<Session, 'request' | 'answer'>,
): ModelServer {
  return withChat(server, async (request, call) => {
    if (request.messages.length === 0) return server.chat(request, call);
    const number = session.request(request);
    const outcome = await server.chat(request, call);
    session.answer(number, outcome);
    return outcome;
  });
}
