/**
 * Sends committed events live to HTTP streams. Events are serialized once per scope, not per reader; a reader that is
 * too slow is disconnected and resumes by its last sequence number.
 */
import type { EventRow } from '../storage/tables.ts';

/**
 * Events that a reader gets: all events, the events of one task, or state changes of all tasks plus all events of one
 * task.
 */
export interface StreamScope {
  /** All events of this task; none of other tasks unless `stateOfAll` is set. */
  taskId?: string;
  /** State changes of every task. */
  stateOfAll?: boolean;
}

export interface StreamReader {
  readonly scope: StreamScope;
  /** Sends text to the reader. Must not throw. `lastId` is undefined for messages without a sequence number. */
  write(text: string, lastId: number | undefined): void;
}

export class Broadcaster {
  readonly #readers = new Set<StreamReader>();
  #sentEventCount = 0;

  add(reader: StreamReader): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  /** Number of events sent to readers, including the history. An event that is sent to two readers counts twice. */
  get sentEventCount(): number {
    return this.#sentEventCount;
  }

  /** Counts history events sent to a reader. */
  addSentEvents(events: number): void {
    this.#sentEventCount += events;
  }

  /** Sends committed events to the readers; `events` are in the order of their sequence numbers. */
  publish(events: readonly EventRow[]): void {
    if (events.length === 0) return;
    const texts = new Map<string, { text: string; lastId: number | undefined; count: number }>();
    for (const reader of this.#readers) {
      const key = `${reader.scope.stateOfAll ? 'state' : 'all'}:${reader.scope.taskId ?? ''}`;
      let batch = texts.get(key);
      if (!batch) {
        const scopedEvents = events.filter((event) => isInScope(event, reader.scope));
        batch = {
          text: scopedEvents.map(formatEventText).join(''),
          lastId: scopedEvents.at(-1)?.id,
          count: scopedEvents.length,
        };
        texts.set(key, batch);
      }
      if (batch.text === '') continue;
      this.#sentEventCount += batch.count;
      reader.write(batch.text, batch.lastId);
    }
  }

  /** Sends a message that is not stored, such as a worker's load, to all readers that follow more than one task. */
  publishUnstored(kind: string, body: unknown): void {
    let text: string | undefined;
    for (const reader of this.#readers) {
      if (reader.scope.taskId !== undefined && !reader.scope.stateOfAll) continue;
      text ??= `event: ${kind}\ndata: ${JSON.stringify(body)}\n\n`;
      reader.write(text, undefined);
    }
  }
}

function isInScope(event: Pick<EventRow, 'task_id' | 'kind'>, { taskId, stateOfAll }: StreamScope): boolean {
  if (taskId !== undefined && event.task_id === taskId) return true;
  return stateOfAll ? event.kind !== 'execution' : taskId === undefined;
}

/** Formats one event as the text of a Server-Sent Event. The event's `body` is already JSON. */
export function formatEventText(event: EventRow): string {
  return `id: ${event.id}\nevent: ${event.kind}\ndata: ${formatEventJson(event)}\n\n`;
}

/** Formats one event as JSON without its stored details, which lists and streams leave out. */
export function formatEventJson({ id, task_id, at, generation, kind, body: stored }: EventRow): string {
  const body = stored.includes(DETAILS_KEY) ? removeDetails(stored) : stored;
  return `{"id":${id},"task_id":${JSON.stringify(task_id)},"at":${at},"generation":${generation},"kind":"${kind}","body":${body}}`;
}

const DETAILS_KEY = '"details":';

function removeDetails(body: string): string {
  const { details, ...rest } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify(details === undefined ? rest : { ...rest, has_details: true });
}
