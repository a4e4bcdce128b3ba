/*
 * A list that only renders visible rows. Rows have one height; elements are reused by key, so that focus and selection
 * survive updates. The number of items does not matter. It scrolls by itself or within its container, and one row may
 * have a gap below it.
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
    /** Index of the row with a gap below it. */
    this.gapAfter = Infinity;
    this.gapPx = 0;
    const onScroll = (/** @type {Event} */ { target }) => target === this.scroller && this.draw();
    addEventListener('scroll', onScroll, { capture: true, passive: true });
    addEventListener('resize', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  get scroller() {
    return this.options.scrollerOf?.(this.element) ?? this.element;
  }

  /** Returns the top of a row, in pixels from the first one. @param {number} index */
  topOf(index) {
    return index * this.options.rowHeight + (index > this.gapAfter ? this.gapPx : 0);
  }

  /** @param {readonly Item[]} items */
  setItems(items) {
    this.items = items;
    this.draw();
  }

  get atEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    return scrollTop + clientHeight >= scrollHeight - this.options.rowHeight;
  }

  scrollToEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.draw();
  }

  /** Visible part of the list, in pixels. `from`: height of the rows above it; `height`: its own height. */
  get #window() {
    const { scroller } = this;
    const above = scroller.getBoundingClientRect().top + scroller.clientTop;
    return { from: above - this.space.getBoundingClientRect().top, height: scroller.clientHeight };
  }

  /** @param {number} index */
  reveal(index) {
    const { rowHeight, edgePx = 0 } = this.options;
    const { from, height } = this.#window;
    const top = this.topOf(index) - from;
    if (top < edgePx) this.scroller.scrollTop += top - edgePx;
    else if (top > height - rowHeight - edgePx) {
      this.scroller.scrollTop += top + rowHeight + edgePx - height;
    }
    this.draw();
  }

  /** Returns the index of the row at a position. @param {number} px */
  #indexAt(px) {
    const { rowHeight } = this.options;
    const index = Math.floor(px / rowHeight);
    return index <= this.gapAfter
      ? index
      : Math.max(this.gapAfter, Math.floor((px - this.gapPx) / rowHeight));
  }

  draw() {
    const { items } = this;
    const { keyOf, update, onNearEnd } = this.options;
    this.space.style.setProperty('height', `${this.topOf(items.length)}px`);
    const { from, height } = this.#window;
    const first = Math.max(0, this.#indexAt(from) - overscan);
    const last = Math.max(0, Math.min(items.length, this.#indexAt(from + height) + 1 + overscan));
    const visibleKeys = new Set(items.slice(first, last).map(keyOf));
    // Reuse the elements of rows that are no longer visible: creating new ones takes most of a frame.
    const spareRows = [];
    for (const [key, row] of this.rows) {
      if (visibleKeys.has(key)) continue;
      this.rows.delete(key);
      spareRows.push(row);
    }
    /** @type {Element | null} */
    let previous = null;
    let index = first;
    for (const item of items.slice(first, last)) {
      const key = keyOf(item);
      const row = this.rows.get(key) ?? spareRows.pop() ?? this.#createRow();
      this.rows.set(key, row);
      row.style.setProperty('transform', `translateY(${this.topOf(index)}px)`);
      update(row, item, index);
      // Elements are in reading order, for the keyboard and screen readers.
      /** @type {Node | null} */
      const expected = previous ? previous.nextSibling : this.space.firstChild;
      if (row !== expected) this.space.insertBefore(row, expected);
      previous = row;
      index += 1;
    }
    for (const row of spareRows) row.remove();
    if (last >= items.length - overscan) onNearEnd?.();
  }

  #createRow() {
    const row = this.options.create();
    row.classList.add('row');
    return row;
  }
}
