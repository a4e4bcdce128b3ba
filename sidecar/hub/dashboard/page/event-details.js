/* Details of events, read from the hub once, when their row is opened. */
import { ApiError, messageOf, request } from './api.js';
import { replaceContent, h } from './dom.js';
import { recordsOf, textOf } from './lenient.js';
import { formatTaskPath } from './task-link.js';
import { renderTextPart } from './text-part.js';
/** @import { EventReference } from '../page-types.ts' */

export class EventDetails {
  /** Elements by event id, reused when a row is redrawn. @type {Map<number, HTMLElement>} */
  #boxes = new Map();

  /** Removes all details, when another task is shown. */
  clear() {
    this.#boxes.clear();
  }

  /**
   * Returns the element that shows an event's details; it loads them when it is created.
   * @param {EventReference} opened
   */
  elementOf(opened) {
    const existing = this.#boxes.get(opened.eventId);
    if (existing) return existing;
    const box = h('div.behind', { 'aria-busy': 'true' }, h('p.note', 'Loading …'));
    this.#boxes.set(opened.eventId, box);
    void this.#read(box, opened);
    return box;
  }

  /** @param {HTMLElement} box @param {EventReference} opened */
  async #read(box, { taskId, eventId }) {
    try {
      const { body } = await request(formatTaskPath(taskId, `/events/${eventId}`));
      replaceContent(
        box,
        recordsOf(body?.details).map(({ title, text }) => renderTextPart(textOf(title), textOf(text))),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The details are read again when the row is next opened.
      this.#boxes.delete(eventId);
      replaceContent(box, h('p.note', `The details cannot be shown: ${messageOf(error)}`));
    }
    box.removeAttribute('aria-busy');
  }
}
