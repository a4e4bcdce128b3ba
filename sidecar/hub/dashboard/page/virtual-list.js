/*
 * A list that only keeps the rows that can be seen. Rows have one height; elements are kept by key, so that
 * focus and selection survive updates. The number of items does not matter.
 */
import { h } from './dom.js';

const overscan = 8;

export class VirtualList {
  /**
   * `create()` makes a row's element, `update(element, item, index)` shows an item in it, also where it showed another one
   * before; `onWindow(from, to)` is told which items are in sight before they are shown.
   */
  constructor({ rowHeight, keyOf, create, update, onNearEnd, onWindow, props = {} }) {
    Object.assign(this, { rowHeight, keyOf, create, update, onNearEnd, onWindow });
    this.items = [];
    this.rows = new Map();
    this.space = h('div.rows', { role: 'presentation' });
    this.element = h('div.virtual', props, this.space);
    this.element.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  setItems(items) {
    this.items = items;
    this.draw();
  }

  get atEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    return scrollTop + clientHeight >= scrollHeight - this.rowHeight;
  }

  scrollToEnd() {
    this.element.scrollTop = this.items.length * this.rowHeight;
    this.draw();
  }

  reveal(index) {
    const top = index * this.rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + this.rowHeight > scrollTop + clientHeight) {
      this.element.scrollTop = top + this.rowHeight - clientHeight;
    }
    this.draw();
  }

  draw() {
    const { rowHeight, items } = this;
    this.space.style.setProperty('height', `${items.length * rowHeight}px`);
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
    const last = Math.min(items.length, Math.ceil((scrollTop + clientHeight) / rowHeight) + overscan);
    this.onWindow?.(
      Math.floor(scrollTop / rowHeight),
      Math.min(items.length, Math.ceil((scrollTop + clientHeight) / rowHeight)),
    );
    const seen = new Set(items.slice(first, last).map((item) => this.keyOf(item)));
    // Rows that went out of sight show what comes into it: to make new ones costs most of a frame.
    const spare = [];
    for (const [key, row] of this.rows) {
      if (seen.has(key)) continue;
      this.rows.delete(key);
      spare.push(row);
    }
    let previous = null;
    for (let index = first; index < last; index += 1) {
      const item = items[index];
      const key = this.keyOf(item);
      const row = this.rows.get(key) ?? spare.pop() ?? this.#created();
      this.rows.set(key, row);
      row.style.setProperty('transform', `translateY(${index * rowHeight}px)`);
      this.update(row, item, index);
      // Kept in reading order, for the keyboard and for screen readers.
      const expected = previous ? previous.nextSibling : this.space.firstChild;
      if (row !== expected) this.space.insertBefore(row, expected);
      previous = row;
    }
    for (const row of spare) row.remove();
    if (last >= items.length - overscan) this.onNearEnd?.();
  }

  #created() {
    const row = this.create();
    row.classList.add('row');
    return row;
  }
}
