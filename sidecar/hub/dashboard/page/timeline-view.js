/*
 * Draws a timeline: a windowed list with a bar per row on a common axis, and an inspector for the selected row.
 * Keyboard: arrows, Home and End move the selection, Enter jumps to the inspector, F follows the live end.
 */
import { phasesOf } from './call-row.js';
import { replaceContent, h, createIcon, limitToFrames, setText } from './dom.js';
import { EventDetails } from './event-details.js';
import { computeTicks, formatDuration, roundStep } from './format.js';
import { renderInspector, kindNames } from './inspector.js';
import { VirtualList } from './virtual-list.js';
/** @import { Timeline } from './timeline-model.js' */
/** @import { EventReference, TimelineRow, RowType } from '../page-types.ts' */
/** @typedef {ReturnType<typeof createRow>} RowElement */

/** @type {Record<RowType, string>} */
const icons = {
  call: 'tool',
  model: 'spark',
  text: 'text',
  output: 'text',
  status: 'clock',
  error: 'alert',
  plan: 'plan',
  check: 'flag',
  steer: 'person',
  approval: 'question',
  state: 'dot',
  attempt: 'play',
  iteration: 'play',
};
const rowHeight = 36;
/** Age above which an event is considered older than the page; a smaller age may be a difference of clocks. */
const clockToleranceMs = 5_000;

export class TimelineView {
  #details = new EventDetails();

  constructor() {
    /** @type {Timeline | undefined} */
    this.timeline = undefined;
    /** Key of the selected row. @type {string | undefined} */
    this.chosen = undefined;
    /** @type {string | undefined} */
    this.inspected = undefined;
    this.following = true;
    /** Last scroll position, in pixels. */
    this.topPx = 0;
    this.live = false;
    /** Start of the task. */
    this.originMs = 0;
    /** Length of the axis. */
    this.spanMs = 1;
    this.nowMs = 0;
    this.seenMs = -1;
    this.seenAt = 0;
    this.drawnAxis = '';
    this.axis = h('div.axis', { 'aria-hidden': 'true' });
    /** @type {VirtualList<TimelineRow, RowElement>} */
    this.list = new VirtualList({
      rowHeight,
      keyOf: (row) => row.key,
      create: createRow,
      update: (element, row, index) => this.#update(element, row, index),
      scrollerOf: (list) => list.closest('.detail'),
      edgePx: 76,
      props: {
        role: 'listbox',
        tabindex: '0',
        id: 'timeline',
        'aria-label': 'Timeline',
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#onKey(event),
        onclick: (/** @type {Event} */ event) => this.#onClick(event),
      },
    });
    this.list.element.classList.add('timeline');
    const onScroll = (/** @type {Event} */ { target }) => target === this.list.scroller && this.#onScroll();
    addEventListener('scroll', onScroll, { capture: true, passive: true });
    this.followButton = h(
      'button.follow',
      { onclick: () => this.follow(), 'aria-keyshortcuts': 'f' },
      createIcon('follow'),
      'Follow live',
    );
    this.inspector = h('section.inspector', {
      'aria-label': 'Chosen event',
      tabindex: '-1',
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        this.#choose(undefined);
        this.list.element.focus();
      },
    });
    this.empty = h('p.empty', 'Nothing has happened yet.');
    this.element = h(
      'div.timeline-box',
      this.axis,
      h('div.timeline-rows', this.list.element, this.inspector),
      this.followButton,
      this.empty,
    );
    new ResizeObserver(() => this.draw()).observe(this.inspector);
    this.draw = limitToFrames(() => this.#draw());
  }

  /** @param {Timeline} timeline */
  show(timeline) {
    this.timeline = timeline;
    this.#details.clear();
    this.chosen = undefined;
    this.following = true;
    this.topPx = 0;
    this.draw();
  }

  follow() {
    this.following = true;
    this.list.scrollToEnd();
    this.draw();
  }

  /** Stops following when the user scrolls back, so that new rows do not move the page. */
  #onScroll() {
    const { scrollTop } = this.list.scroller;
    if (this.list.atEnd) this.following ||= this.chosen === undefined;
    else if (scrollTop < this.topPx) this.following = false;
    this.topPx = scrollTop;
    this.draw();
  }

  get #rows() {
    return this.timeline?.rows ?? [];
  }

  #draw() {
    const { firstMs, lastMs = 0, lastEventMs = 0 } = this.timeline ?? {};
    const rows = this.#rows;
    this.element.classList.toggle('is-empty', rows.length === 0);
    this.originMs = firstMs ?? lastMs;
    this.nowMs = this.#computeEnd(lastMs, lastEventMs);
    const elapsedMs = Math.max(1, this.nowMs - this.originMs);
    // While the task runs, the axis grows only in steps, so that rows do not move while they are read.
    this.spanMs = this.live ? roundStep(elapsedMs) : elapsedMs;
    this.#drawAxis(firstMs !== undefined);
    const index = this.#chosenIndex();
    const chosen = rows[index];
    const isNew = this.#showInspector(chosen);
    this.list.gapAfter = chosen ? index : Infinity;
    this.list.gapPx = chosen ? this.inspector.offsetHeight : 0;
    this.inspector.style.setProperty('top', `${(index + 1) * rowHeight + 1}px`);
    this.list.setItems(rows);
    if (isNew) this.inspector.scrollIntoView({ block: 'nearest' });
    if (this.following && this.live) this.list.scrollToEnd();
    this.followButton.hidden = !this.live || this.following;
    const element = this.list.element;
    if (chosen) element.setAttribute('aria-activedescendant', `row-${chosen.key}`);
    else element.removeAttribute('aria-activedescendant');
  }

  /**
   * Returns the end of the axis. While the task runs, it includes the time since the last event, also before the page was opened.
   * @param {number} lastMs @param {number} lastEventMs
   */
  #computeEnd(lastMs, lastEventMs) {
    if (lastMs !== this.seenMs) {
      this.seenMs = lastMs;
      const agoMs = Date.now() - lastEventMs;
      this.seenAt = performance.now() - (agoMs > clockToleranceMs ? agoMs : 0);
    }
    const isRunning = this.live && this.timeline?.firstMs !== undefined;
    return isRunning ? lastMs + (performance.now() - this.seenAt) : lastMs;
  }

  /** @param {boolean} hasStart */
  #drawAxis(hasStart) {
    const key = `${hasStart}:${this.spanMs}`;
    if (this.drawnAxis === key) return;
    this.drawnAxis = key;
    const ticks = hasStart ? computeTicks(this.spanMs) : [];
    replaceContent(
      this.axis,
      ticks.map(({ at, label }) =>
        h(
          `span.tick${at / this.spanMs > 0.94 ? '.at-end' : ''}`,
          { style: { left: `${(at / this.spanMs) * 100}%` } },
          label,
        ),
      ),
    );
  }

  /** @param {RowElement} element @param {TimelineRow} row @param {number} index */
  #update(element, row, index) {
    const isChosen = row.key === this.chosen;
    element.id = `row-${row.key}`;
    element.setAttribute('aria-selected', String(isChosen));
    element.setAttribute('aria-posinset', String(index + 1));
    element.setAttribute('aria-setsize', String(this.#rows.length));
    element.classList.toggle('chosen', isChosen);
    const isRunning = row.endMs === undefined;
    const end = row.endMs ?? this.nowMs;
    const left = Math.min(100, Math.max(0, ((row.startMs - this.originMs) / this.spanMs) * 100));
    const width = Math.min(100 - left, Math.max(0, ((end - row.startMs) / this.spanMs) * 100));
    element.style.setProperty('--left', String(left / 100));
    element.bar.style.setProperty('left', `${left}%`);
    element.bar.style.setProperty('width', `${width}%`);
    const version = `${row.key}:${row.version}:${isRunning}`;
    if (element.rowVersion === version) return;
    element.rowVersion = version;
    element.dataset.type = row.type;
    element.dataset.outcome = isRunning
      ? 'running'
      : row.success === false
        ? 'failed'
        : row.success
          ? 'ok'
          : 'none';
    if (element.iconName !== icons[row.type]) {
      element.iconName = icons[row.type];
      replaceContent(
        element.mark,
        createIcon(element.iconName),
        h('span.unseen', `${kindNames[row.type]}: `),
      );
    }
    setText(element.label, row.label);
    setText(element.args, row.args ?? '');
    setText(element.result, row.result ?? '');
    const durationText = row.durationMs === undefined ? '' : formatDuration(row.durationMs);
    setText(element.time, isRunning ? 'running' : durationText);
    /** @type {{ kind: string, ms: number }[]} */
    const parts = isRunning ? [] : phasesOf(row.detail?.model_call);
    if (row.isDraft && parts.length > 0) {
      const restMs = (row.durationMs ?? 0) - parts.reduce((sum, { ms }) => sum + ms, 0);
      parts.push({ kind: 'draft', ms: Math.max(0, restMs) });
    }
    replaceContent(
      element.bar,
      parts.map(({ kind, ms }) => h(`span.of-${kind}`, { style: { 'flex-grow': String(ms) } })),
    );
  }

  #chosenIndex() {
    return this.chosen === undefined ? -1 : this.#rows.findIndex(({ key }) => key === this.chosen);
  }

  /** @param {TimelineRow | undefined} row */
  #choose(row) {
    this.chosen = row?.key;
    if (row) this.following = false;
    this.inspected = undefined;
    this.draw();
  }

  /** @param {Event} event */
  #onClick(event) {
    const element = event.target instanceof Element ? event.target.closest('.row') : null;
    const row = element && this.#rows.find(({ key }) => `row-${key}` === element.id);
    if (row) this.#choose(row.key === this.chosen ? undefined : row);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const rows = this.#rows;
    const index = this.#chosenIndex();
    const page = Math.max(1, Math.floor(this.list.scroller.clientHeight / rowHeight) - 4);
    const start = index < 0 ? (event.key === 'ArrowUp' || event.key === 'PageUp' ? rows.length : -1) : index;
    /** @type {Record<string, number>} */
    const moves = {
      ArrowDown: start + 1,
      ArrowUp: start - 1,
      PageDown: start + page,
      PageUp: start - page,
      Home: 0,
      End: rows.length - 1,
    };
    if (event.key === 'Enter' && index >= 0) {
      event.preventDefault();
      this.#draw();
      this.inspector.focus();
      this.inspector.scrollIntoView({ block: 'nearest' });
      return;
    }
    const targetIndex = moves[event.key];
    if (targetIndex === undefined || rows.length === 0) return;
    event.preventDefault();
    const next = Math.min(rows.length - 1, Math.max(0, targetIndex));
    this.#choose(rows[next]);
    this.list.reveal(next);
  }

  /**
   * Shows a row in the inspector; returns true if the inspector showed another row, or none, before.
   * @param {TimelineRow | undefined} row
   */
  #showInspector(row) {
    this.inspector.hidden = !row;
    const isNew = row !== undefined && !this.inspected?.startsWith(`${row.key}:`);
    if (!row || this.inspected === `${row.key}:${row.version}`) return false;
    this.inspected = `${row.key}:${row.version}`;
    const close = () => this.#choose(undefined);
    const renderDetails = (/** @type {EventReference} */ opened) => this.#details.elementOf(opened);
    replaceContent(
      this.inspector,
      renderInspector(row, { atMs: row.startMs - this.originMs, close, renderDetails }),
    );
    return isNew;
  }
}

function createRow() {
  const element = Object.assign(h('div.event', { role: 'option' }), {
    mark: h('span.mark'),
    label: h('span.label'),
    args: h('span.args'),
    result: h('span.result'),
    time: h('span.time'),
    bar: h('span.bar'),
    /** Key and version of the rendered row. */
    rowVersion: '',
    iconName: '',
  });
  element.append(
    element.mark,
    h('span.words', element.label, element.args, element.result),
    h('span.lane', { 'aria-hidden': 'true' }, element.bar),
    element.time,
  );
  return element;
}
