/** Reads a Server-Sent Events stream of a hub the way any client would. */
import type { Json } from './hub-fixture.ts';

export interface StreamedEvent {
  id: number;
  task_id: string;
  kind: string;
  body: Json;
}

/** A hub, here or in another process. */
export interface StreamSource {
  hub: { url: string; tokens: { admin: string } };
}

export interface StreamReader {
  readonly events: StreamedEvent[];
  /** News without a sequence number, such as `worker`. */
  readonly news: { kind: string; data: Json }[];
  /** Everything up to the first event that `wanted` accepts. */
  until(wanted: (event: StreamedEvent) => boolean): Promise<StreamedEvent[]>;
  close(): void;
  /** Resolves when the hub has ended the stream. */
  ended: Promise<void>;
}

export function readStream(
  hub: StreamSource,
  path: string,
  headers: Record<string, string> = {},
): StreamReader {
  const abort = new AbortController();
  const events: StreamedEvent[] = [];
  const news: StreamReader['news'] = [];
  const waiters: { wanted: (event: StreamedEvent) => boolean; resolve: (events: StreamedEvent[]) => void }[] =
    [];
  const take = (block: string) => {
    const kind = /^event: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (kind === undefined || data === undefined) return;
    const parsed: Json = JSON.parse(data);
    if (!/^id: /m.test(block)) {
      news.push({ kind, data: parsed });
      return;
    }
    events.push(parsed);
    for (const waiter of waiters.slice()) {
      if (!waiter.wanted(parsed)) continue;
      waiters.splice(waiters.indexOf(waiter), 1);
      waiter.resolve([...events]);
    }
  };
  const ended = (async () => {
    const response = await fetch(hub.hub.url + path, {
      signal: abort.signal,
      headers: { authorization: `Bearer ${hub.hub.tokens.admin}`, accept: 'text/event-stream', ...headers },
    });
    if (!response.ok || !response.body) throw new Error(`stream: ${response.status}`);
    let rest = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      blocks.forEach(take);
    }
  })().catch((error: unknown) => {
    if (!abort.signal.aborted && !String(error).includes('terminated')) throw error;
  });
  return {
    events,
    news,
    ended,
    close: () => abort.abort(),
    until(wanted) {
      if (events.some(wanted)) return Promise.resolve([...events]);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`the event did not come; got ${JSON.stringify(events.slice(-5))}`)),
          40_000,
        );
        waiters.push({
          wanted,
          resolve: (all) => {
            clearTimeout(timer);
            resolve(all);
          },
        });
      });
    },
  };
}
