/* What the hub keeps behind events, read when a row is opened, and once only. */
import { ApiError, messageOf, request } from './api.js';
import { fill, h } from './dom.js';
import { records, textOf } from './lenient.js';
import { taskPath } from './task-link.js';
import { part } from './text-part.js';
/** @import { Opened } from '../page-types.ts' */

export class EventDetails {
  /** By the event; an element stays as it is while its row is drawn again. @type {Map<number, HTMLElement>} */
  #boxes = new Map();

  /** Another task's are shown from now on. */
  clear() {
    this.#boxes.clear();
  }

  /** The details, or that they come. @param {Opened} opened */
  box(opened) {
    const known = this.#boxes.get(opened.eventId);
    if (known) return known;
    const box = h('div.behind', { 'aria-busy': 'true' }, h('p.note', 'Loading …'));
    this.#boxes.set(opened.eventId, box);
    void this.#read(box, opened);
    return box;
  }

  /** @param {HTMLElement} box @param {Opened} opened */
  async #read(box, { taskId, eventId }) {
    try {
      const { body } = await request(taskPath(taskId, `/events/${eventId}`));
      fill(
        box,
        records(body?.details).map(({ title, text }) => part(textOf(title), textOf(text))),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The next time that the row is opened it is asked for again.
      this.#boxes.delete(eventId);
      fill(box, h('p.note', `The details cannot be shown: ${messageOf(error)}`));
    }
    box.removeAttribute('aria-busy');
  }
}
