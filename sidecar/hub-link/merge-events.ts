/**
 * Several execution events in one frame: token text is joined, everything else is
 * listed in order, in `events` for hubs that read it and in `text` for those that show nothing else. Pure.
 */
import type { ExecutionEvent } from '../protocol/events.ts';
import type { WorkerFrameInput } from '../protocol/worker-frames.ts';

type FrameEvent = NonNullable<Extract<WorkerFrameInput, { type: 'task_progress' }>['execution_event']>;

/** Most characters of one frame's text; the middle goes. */
const MAX_TEXT_CHARS = 64 * 1024;
/** With `events`, the text is only for logs. */
const MAX_BATCH_TEXT_CHARS = 500;

/** `events` must not be empty. One event goes as it is. */
export function mergeEvents(events: readonly ExecutionEvent[], eventBatch: boolean): FrameEvent {
  const joined = joinStreams(events);
  const last = joined.at(-1);
  if (!last) throw new Error('no events to merge');
  if (joined.length === 1) return last;
  const leading = joined.findLast((event) => !isStream(event)) ?? last;
  const common = {
    event_type: leading.event_type,
    ...lastKnown(joined, 'tokens_so_far'),
    ...lastKnown(joined, 'cost_usd_so_far'),
    ...lastKnown(joined, 'model'),
    ...lastKnown(joined, 'timestamp'),
    ...lastKnown(joined, 'seq'),
    ...lastKnown(joined, 'iteration'),
  };
  const text = joined
    .map((event) => event.text)
    .filter((line) => line !== '')
    .join('\n');
  return eventBatch
    ? { ...common, text: shortened(text, MAX_BATCH_TEXT_CHARS), events: joined }
    : { ...common, text: shortened(text, MAX_TEXT_CHARS) };
}

/** Text that is a stream: pieces belong together, and a lost one costs no decision. */
export const isStream = ({ event_type: type }: ExecutionEvent): boolean =>
  type === 'token' || type === 'stdout' || type === 'stderr';

/** Neighbouring pieces of one stream become one event; the newer one's figures hold. */
export function joinStreams(events: readonly ExecutionEvent[]): ExecutionEvent[] {
  const joined: ExecutionEvent[] = [];
  for (const event of events) {
    const before = joined.at(-1);
    if (before && isStream(event) && isSameStream(before, event)) {
      joined[joined.length - 1] = { ...before, ...event, text: before.text + event.text };
    } else joined.push(event);
  }
  return joined;
}

/** What two calls of the model write at the same time are two streams. */
const isSameStream = (a: ExecutionEvent, b: ExecutionEvent): boolean =>
  a.event_type === b.event_type && a.model_call?.id === b.model_call?.id;

function lastKnown<K extends keyof ExecutionEvent>(events: readonly ExecutionEvent[], key: K) {
  const value = events.findLast((event) => event[key] !== undefined)?.[key];
  return value === undefined ? {} : { [key]: value };
}

function shortened(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}
