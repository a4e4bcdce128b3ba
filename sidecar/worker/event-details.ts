/**
 * Limits the details of an event before it leaves the worker. Secrets must be masked before that, since the masker
 * would not find a secret that was cut.
 */
import type { EventDetail, ExecutionEvent } from '../base/protocol/events.ts';
import { MAX_DETAIL_CHARS, MAX_EVENT_DETAILS, MAX_TASK_DETAIL_CHARS } from '../base/protocol/limits.ts';
import { removeMiddle } from '../base/values/remove-middle.ts';

const MAX_TITLE_CHARS = 300;

/** Limits the details of all events of one run of a task, in order. */
export class EventDetails {
  #remainingChars = MAX_TASK_DETAIL_CHARS;

  /** Limits the details of an event; omits the details once the task has reached its limit. */
  limit({ details, ...event }: ExecutionEvent): ExecutionEvent {
    if (details === undefined || details.length === 0) return event;
    if (this.#remainingChars <= 0) return { ...event, details: [LIMIT_REACHED_DETAIL] };
    const limited = limitDetails(details);
    this.#remainingChars -= limited.reduce((sum, { text }) => sum + text.length, 0);
    return { ...event, details: limited };
  }
}

const LIMIT_REACHED_DETAIL: EventDetail = {
  title: 'Left out',
  text: "This task has reached the hub's limit for event details: details of later events are omitted.",
};

/** Limits the details of one event; the longest texts lose their middle first. */
export function limitDetails(details: readonly EventDetail[]): EventDetail[] {
  const retained = takeNewest(details);
  let remainingChars = MAX_DETAIL_CHARS;
  let remainingTexts = retained.length;
  const maxChars = new Map<EventDetail, number>();
  for (const detail of retained.toSorted((a, b) => a.text.length - b.text.length)) {
    const chars = Math.min(detail.text.length, Math.floor(remainingChars / remainingTexts));
    maxChars.set(detail, chars);
    remainingChars -= chars;
    remainingTexts -= 1;
  }
  return retained.map((detail) => ({
    title: detail.title.slice(0, MAX_TITLE_CHARS),
    text: removeMiddle(detail.text, maxChars.get(detail) ?? 0),
  }));
}

function takeNewest(details: readonly EventDetail[]): readonly EventDetail[] {
  if (details.length <= MAX_EVENT_DETAILS) return details;
  const retained = details.slice(1 - MAX_EVENT_DETAILS);
  const count = details.length - retained.length;
  return [{ title: 'Left out', text: `${count} earlier parts are omitted.` }, ...retained];
}
