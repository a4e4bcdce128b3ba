/**
 * Live fan-out of committed events to HTTP streams. An event is turned into text once per kind of reader,
 * not once per reader; a reader that does not keep up is dropped and resumes by its last sequence number.
 */
import type { EventRow } from '../storage/tables.ts';

/** The scope of a reader: everything, one task, or state changes of all tasks plus everything of one. */
export interface StreamScope {
  /** Everything of this task; without `stateOfAll` nothing of the others. */
  taskId?: string;
  /** State changes of every task. */
  stateOfAll?: boolean;
}

export interface StreamReader {
  readonly scope: StreamScope;
  /** Must not throw. `lastId` is undefined for passing news without a sequence number. */
  write(text: string, lastId: number | undefined): void;
}

export class Broadcaster {
  readonly #readers = new Set<StreamReader>();
  #eventsSent = 0;

  add(reader: StreamReader): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Events that readers were sent, history included, once for each reader. */
  get eventsSent(): number {
    return this.#eventsSent;
  }

  /** A reader was sent so many events of the history. */
  countHistory(events: number): void {
    this.#eventsSent += events;
  }

  /** Committed events in the order of their sequence numbers. */
  publish(events: readonly EventRow[]): void {
    if (events.length === 0) return;
    const texts = new Map<string, { text: string; lastId: number | undefined; count: number }>();
    for (const reader of this.#readers) {
      const key = `${reader.scope.stateOfAll ? 'state' : 'all'}:${reader.scope.taskId ?? ''}`;
      let batch = texts.get(key);
      if (!batch) {
        const wanted = events.filter((event) => inScope(event, reader.scope));
        batch = { text: wanted.map(eventText).join(''), lastId: wanted.at(-1)?.id, count: wanted.length };
        texts.set(key, batch);
      }
      if (batch.text === '') continue;
      this.#eventsSent += batch.count;
      reader.write(batch.text, batch.lastId);
    }
  }

  /** News that is not stored, such as a worker's load; only to readers that follow more than one task. */
  news(kind: string, body: unknown): void {
    let text: string | undefined;
    for (const reader of this.#readers) {
      if (reader.scope.taskId !== undefined && !reader.scope.stateOfAll) continue;
      text ??= `event: ${kind}\ndata: ${JSON.stringify(body)}\n\n`;
      reader.write(text, undefined);
    }
  }
}

function inScope(event: Pick<EventRow, 'task_id' | 'kind'>, { taskId, stateOfAll }: StreamScope): boolean {
  if (taskId !== undefined && event.task_id === taskId) return true;
  return stateOfAll ? event.kind !== 'execution' : taskId === undefined;
}

/** One event as Server-Sent Events text; `body` is JSON already. */
export function eventText(event: EventRow): string {
  return `id: ${event.id}\nevent: ${event.kind}\ndata: ${eventJson(event)}\n\n`;
}

/** `{ id, task_id, at, generation, kind, body }`; what is behind an event stays out of lists and streams. */
export function eventJson({ id, task_id, at, generation, kind, body: stored }: EventRow): string {
  const body = stored.includes(DETAILS) ? withoutDetails(stored) : stored;
  return `{"id":${id},"task_id":${JSON.stringify(task_id)},"at":${at},"generation":${generation},"kind":"${kind}","body":${body}}`;
}

const DETAILS = '"details":';

function withoutDetails(body: string): string {
  const { details, ...rest } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify(details === undefined ? rest : { ...rest, has_details: true });
}
