/*
 * A list that only keeps the rows that can be seen. Rows have one height; elements are kept by key, so that
 * focus and selection survive updates. The number of items does not matter.
 */
import { h } from './dom.js';
/** @import { ListOptions } from '../page-types.ts' */

const overscan = 8;

/** @template Item @template {HTMLElement} Row */
export class VirtualList {
  /** @param {ListOptions<Item, Row>} options */
  constructor(options) {
    this.options = options;
    /** @type {readonly Item[]} */
    this.items = [];
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    this.space = h('div.rows', { role: 'presentation' });
    this.element = h('div.virtual', options.props, this.space);
    this.element.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** @param {readonly Item[]} items */
  setItems(items) {
    this.items = items;
    this.draw();
  }

  get atEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    return scrollTop + clientHeight >= scrollHeight - this.options.rowHeight;
  }

  scrollToEnd() {
    this.element.scrollTop = this.items.length * this.options.rowHeight;
    this.draw();
  }

  /** @param {number} index */
  reveal(index) {
    const { rowHeight } = this.options;
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) {
      this.element.scrollTop = top + rowHeight - clientHeight;
    }
    this.draw();
  }

  draw() {
    const { items } = this;
    const { rowHeight, keyOf, update, onWindow, onNearEnd } = this.options;
    this.space.style.setProperty('height', `${items.length * rowHeight}px`);
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
    const last = Math.min(items.length, Math.ceil((scrollTop + clientHeight) / rowHeight) + overscan);
    onWindow?.(
      Math.floor(scrollTop / rowHeight),
      Math.min(items.length, Math.ceil((scrollTop + clientHeight) / rowHeight)),
    );
    const seen = new Set(items.slice(first, last).map(keyOf));
    // Rows that went out of sight show what comes into it: to make new ones costs most of a frame.
    const spare = [];
    for (const [key, row] of this.rows) {
      if (seen.has(key)) continue;
      this.rows.delete(key);
      spare.push(row);
    }
    /** @type {Element | null} */
    let previous = null;
    let index = first;
    for (const item of items.slice(first, last)) {
      const key = keyOf(item);
      const row = this.rows.get(key) ?? spare.pop() ?? this.#created();
      this.rows.set(key, row);
      row.style.setProperty('transform', `translateY(${index * rowHeight}px)`);
      update(row, item, index);
      // Kept in reading order, for the keyboard and for screen readers.
      /** @type {Node | null} */
      const expected = previous ? previous.nextSibling : this.space.firstChild;
      if (row !== expected) this.space.insertBefore(row, expected);
      previous = row;
      index += 1;
    }
    for (const row of spare) row.remove();
    if (last >= items.length - overscan) onNearEnd?.();
  }

  #created() {
    const row = this.options.create();
    row.classList.add('row');
    return row;
  }
}
