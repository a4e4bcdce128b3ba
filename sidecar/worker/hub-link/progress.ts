/**
 * Buffers events until they can be sent, by task. Streamed text is bounded and dropped oldest first; other events are
 * never dropped. Tasks take turns, so that one with many events does not block the others.
 */
import type { ExecutionEvent } from '../../base/protocol/events.ts';
import type { WorkerFrameInput } from '../../base/protocol/worker-frames.ts';
import { removeMiddle } from '../../base/values/remove-middle.ts';

const MAX_STREAM_CHARS_PER_TASK = 128 * 1024;
/** Maximum number of events in one frame; the rest goes into the next frame. */
const MAX_EVENTS_PER_FRAME = 200;
/** Maximum number of characters in one frame; the rest goes into the next frame. */
const MAX_CHARS_PER_FRAME = 200 * 1024;
/** Maximum length of a frame's text; a longer text loses its middle. */
const MAX_TEXT_CHARS = 64 * 1024;
/** Maximum length of the text beside `events`, which is only for logs. */
const MAX_BATCH_TEXT_CHARS = 500;

type FrameEvent = NonNullable<Extract<WorkerFrameInput, { type: 'task_progress' }>['execution_event']>;

interface BufferedEvents {
  events: ExecutionEvent[];
  streamChars: number;
  droppedChars: number;
}

export class ProgressBuffer {
  readonly #tasks = new Map<string, BufferedEvents>();

  add(taskId: string, event: ExecutionEvent): void {
    const buffered = this.#tasks.get(taskId) ?? { events: [], streamChars: 0, droppedChars: 0 };
    this.#tasks.set(taskId, buffered);
    appendEvent(buffered.events, event);
    if (isStreamEvent(event)) buffered.streamChars += event.text.length;
    this.#dropStreams(buffered);
  }

  get isEmpty(): boolean {
    return this.#tasks.size === 0;
  }

  has(taskId: string): boolean {
    return this.#tasks.has(taskId);
  }

  /** Returns the next task in turn that may send; undefined if there is none. */
  findNextTask(maySend: (taskId: string) => boolean): string | undefined {
    for (const taskId of this.#tasks.keys()) if (maySend(taskId)) return taskId;
    return undefined;
  }

  /**
   * Removes and returns the events for one frame of this task; the rest waits for its next turn. `isSingleStream`: the
   * hub shows all events of a frame as one type, so events of another stream than the first wait as well.
   */
  take(taskId: string, { isSingleStream = false } = {}): ExecutionEvent[] {
    const buffered = this.#tasks.get(taskId);
    if (!buffered) return [];
    this.#tasks.delete(taskId);
    const events = joinStreams(buffered.events);
    const first = events.splice(0, countFrameEvents(events));
    const stream = first.find(isStreamEvent)?.event_type;
    const maySend = (event: ExecutionEvent) =>
      !isSingleStream || !isStreamEvent(event) || event.event_type === stream;
    const frameEvents = joinStreams(first.filter(maySend));
    events.unshift(...first.filter((event) => !maySend(event)));
    if (events.length > 0) {
      const streamChars = events.filter(isStreamEvent).reduce((sum, event) => sum + event.text.length, 0);
      this.#tasks.set(taskId, { events, streamChars, droppedChars: 0 });
    }
    return buffered.droppedChars > 0
      ? [buildDroppedNote(buffered.droppedChars, frameEvents[0]), ...frameEvents]
      : frameEvents;
  }

  /**
   * Drops events that the task's result makes redundant: pieces of the answer's text, and events that are marked as
   * droppable.
   */
  dropDroppable(taskId: string): void {
    const buffered = this.#tasks.get(taskId);
    if (!buffered) return;
    buffered.events = buffered.events.filter((event) => event.event_type !== 'token' && !event.droppable);
    if (buffered.events.length === 0 && buffered.droppedChars === 0) this.#tasks.delete(taskId);
  }

  forget(taskId: string): void {
    this.#tasks.delete(taskId);
  }

  #dropStreams(buffered: BufferedEvents): void {
    if (buffered.streamChars <= MAX_STREAM_CHARS_PER_TASK) return;
    const retained: ExecutionEvent[] = [];
    for (const event of buffered.events) {
      // Drops half at once, so that a full buffer is not searched for each new piece.
      if (isStreamEvent(event) && buffered.streamChars > MAX_STREAM_CHARS_PER_TASK / 2) {
        buffered.streamChars -= event.text.length;
        buffered.droppedChars += event.text.length;
      } else retained.push(event);
    }
    buffered.events = retained;
  }
}

/** Returns how many events fit into one frame, but at least one. */
function countFrameEvents(events: readonly ExecutionEvent[]): number {
  let chars = 0;
  let count = 0;
  for (const event of events) {
    chars += event.text.length + countDetailChars(event) + 500;
    if (count > 0 && (count >= MAX_EVENTS_PER_FRAME || chars > MAX_CHARS_PER_FRAME)) break;
    count += 1;
  }
  return count;
}

const countDetailChars = ({ details = [] }: ExecutionEvent): number =>
  details.reduce((sum, { text }) => sum + text.length, 0);

const buildDroppedNote = (chars: number, next: ExecutionEvent | undefined): ExecutionEvent => ({
  event_type: 'status',
  text: `[… ${chars} characters of streamed output were omitted: the connection to the hub was busy …]`,
  ...(next?.timestamp !== undefined && { timestamp: next.timestamp }),
});

/**
 * Merges events into one frame: stream text is joined, other events are listed in order, in `events` for hubs that read it
 * and in `text` for those that show nothing else and append the texts. `events` must not be empty.
 */
export function mergeEvents(events: readonly ExecutionEvent[], readsBatch: boolean): FrameEvent {
  const joined = joinStreams(events);
  const last = joined.at(-1);
  if (!last) throw new Error('no events to merge');
  if (joined.length === 1) return readsBatch ? last : addLineEnd(last);
  const leading = joined.findLast((event) => !isStreamEvent(event)) ?? last;
  const newestFields = (
    ['tokens_so_far', 'cost_usd_so_far', 'model', 'timestamp', 'seq', 'iteration'] as const
  )
    .map((key) => [key, joined.findLast((event) => event[key] !== undefined)?.[key]] as const)
    .filter(([, value]) => value !== undefined);
  const common = { event_type: leading.event_type, ...Object.fromEntries(newestFields) };
  const text = joined
    .map((event) => event.text)
    .filter((line) => line !== '')
    .join('\n');
  return readsBatch
    ? { ...common, text: removeMiddle(text, MAX_BATCH_TEXT_CHARS), events: joined }
    : addLineEnd({ ...common, text: removeMiddle(text, MAX_TEXT_CHARS) });
}

const addLineEnd = (event: FrameEvent): FrameEvent =>
  isStreamEvent(event) || event.text.endsWith('\n') ? event : { ...event, text: `${event.text}\n` };

/** Returns whether the event is a piece of a text stream, which may be joined or dropped. */
export const isStreamEvent = ({ event_type: type }: Pick<ExecutionEvent, 'event_type'>): boolean =>
  type === 'token' || type === 'stdout' || type === 'stderr';

/** Joins neighbouring pieces of a stream into one event, which has the figures of the newest piece. */
export function joinStreams(events: readonly ExecutionEvent[]): ExecutionEvent[] {
  const joined: ExecutionEvent[] = [];
  for (const event of events) appendEvent(joined, event);
  return joined;
}

function appendEvent(events: ExecutionEvent[], event: ExecutionEvent): void {
  const previous = events.at(-1);
  if (previous && isStreamEvent(event) && isSameStream(previous, event)) {
    events[events.length - 1] = { ...previous, ...event, text: previous.text + event.text };
  } else events.push(event);
}

/** Returns whether two events belong to one stream. Simultaneous calls of the model have separate streams. */
const isSameStream = (first: ExecutionEvent, second: ExecutionEvent): boolean =>
  first.event_type === second.event_type && first.model_call?.id === second.model_call?.id;
