/** Reads the events of a task from the hub: server-sent events over one long answer. */
import * as z from 'zod';
import type { Clock } from '../../base/ports.ts';
import { sleep } from '../../base/system/clock.ts';
import { parseJson } from '../../base/values/json.ts';
import { HubError } from './hub-error.ts';
import { causeOf, HubUnreachableError, RECONNECT_MS, requestHub } from './hub-request.ts';

const MAX_EVENT_BYTES = 16 * 1024 * 1024;

export const hubEventSchema = z.looseObject({
  id: z.number(),
  kind: z.string(),
  at: z.number(),
  body: z.record(z.string(), z.unknown()),
});
export type HubEvent = z.output<typeof hubEventSchema>;

export interface EventSource {
  url: string;
  token: string | undefined;
  silenceMs: number;
  clock: Clock;
  path: string;
}

/** How long a stream must stay open to reset the count of failures, even without events. */
const STABLE_STREAM_MS = 10_000;

/** Number of failures in a row, within about a second, before `onOutage` is called. */
const OUTAGE_FAILURES = 2;
/** Maximum failures in a row of a stream that has worked: five minutes, in which a hub and its machine restart. */
const MAX_FAILURES_AFTER_START = 60;

export interface EventStreamOptions {
  signal: AbortSignal;
  /** Id of the last known event; default: 0. */
  after?: number;
  /** Called once per outage, after two quick retries have failed. */
  onOutage?: (failure: HubError) => void;
}

/** Yields all events of a task after `after`, then live ones; reconnects. Throws `HubError`. */
export async function* followEvents(
  source: EventSource,
  { signal, after = 0, onOutage }: EventStreamOptions,
): AsyncGenerator<HubEvent> {
  let lastId = after;
  let hasWorked = false;
  for (let failures = 0; !signal.aborted;) {
    let firstByteMs: number | undefined;
    const onBytes = (): void => {
      const nowMs = source.clock.monotonicMs();
      firstByteMs ??= nowMs;
      hasWorked = true;
      // A stream that stays open without events is not a failure.
      if (nowMs - firstByteMs >= STABLE_STREAM_MS) failures = 0;
    };
    try {
      for await (const event of openStream(source, lastId, { signal, onBytes })) {
        failures = 0;
        lastId = event.id;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof HubError ? error : new HubUnreachableError(source.url, causeOf(error));
      const maxFailures = hasWorked ? MAX_FAILURES_AFTER_START : RECONNECT_MS.length;
      const mayPass = failure.kind === 'unreachable' || failure.code === 'hub_internal';
      if (!mayPass || failures >= maxFailures) throw failure;
      if (failures === OUTAGE_FAILURES) onOutage?.(failure);
    }
    await sleep(source.clock, RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)] ?? 0, signal);
    failures += 1;
  }
}

async function* openStream(
  source: EventSource,
  after: number,
  { signal, onBytes }: { signal: AbortSignal; onBytes: () => void },
): AsyncGenerator<HubEvent> {
  const response = await requestHub(source.url, `${source.path}?after=${after}`, {
    headers: {
      accept: 'text/event-stream',
      ...(source.token ? { authorization: `Bearer ${source.token}` } : {}),
    },
    signal,
    silenceMs: source.silenceMs,
  });
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    onBytes();
    pending += decoder.decode(chunk, { stream: true });
    if (pending.length > MAX_EVENT_BYTES)
      throw new HubError('failed', 'hub_error', { what: 'The hub sent an event larger than 16 MiB.' });
    const blocks = pending.split('\n\n');
    pending = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseServerSentEvent(block);
      if (event) yield event;
    }
  }
}

/** Parses one server-sent event; undefined for comments and invalid events. */
function parseServerSentEvent(block: string): HubEvent | undefined {
  const data = block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');
  return hubEventSchema.safeParse(parseJson(data)).data;
}
