/* The list of tasks: filters, search, and rows that stay in place while they change. */
import { replaceContent, h, createIcon, limitToFrames, setText, makeVisible } from './dom.js';
import {
  formatAge,
  formatCount,
  formatDuration,
  isOpen,
  shortenRepo,
  statusKindOf,
  statusNameOf,
} from './format.js';
import { hasRole } from './me.js';
import { matchesSearch, parseSearch } from './search-text.js';
import { TaskFilters } from './task-filters.js';
import { formatTaskHref } from './task-link.js';
import { TaskPicks } from './task-picks.js';
import { VirtualList } from './virtual-list.js';
/** @import { Search } from './search-text.js' */
/** @import { FilterQuery } from './task-filters.js' */
/** @import { Overview, Stats, TaskChange, TaskList, TaskSummary } from '../page-types.ts' */
/** @typedef {ReturnType<typeof createRow>} RowElement */
/** @typedef {Search & FilterQuery} Filters */

export class TasksView {
  /**
   * @param {{ onFilter: (filters: Filters) => void, onMore: (before: number) => Promise<void> }} how
   */
  constructor({ onFilter, onMore }) {
    this.onFilter = onFilter;
    /** @type {Overview['waiting']} */
    this.waiting = [];
    /** @type {Map<string, TaskSummary>} */
    this.tasks = new Map();
    /** @type {TaskSummary[]} */
    this.sorted = [];
    /** @type {string | undefined} */
    this.selectedId = undefined;
    this.loaded = false;
    this.loading = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {boolean | undefined} */
    this.emptyOfFilter = undefined;
    this.filter = new TaskFilters(() => this.#onFilterChange());
    this.picks = new TaskPicks(() => this.draw());
    /** The text of the search field. */
    this.text = '';
    /** @type {number | null} */
    this.nextBefore = null;
    this.total = 0;
    this.search = h('input', {
      type: 'search',
      id: 'search',
      placeholder: 'Text, model:…, repo:…, label:…',
      autocomplete: 'off',
      'aria-keyshortcuts': '/',
      oninput: () => this.#onSearch(),
    });
    /** @type {VirtualList<TaskSummary, RowElement>} */
    this.list = new VirtualList({
      rowHeight: 60,
      keyOf: (task) => task.task_id,
      create: () => createRow((taskId) => this.picks.toggle(taskId)),
      update: (row, task) => this.#update(row, task),
      onNearEnd: () => {
        if (this.nextBefore !== null && !this.loading) void this.#readMore(onMore, this.nextBefore);
      },
      props: { role: 'rowgroup', tabindex: '-1' },
    });
    this.list.element.classList.add('task-list');
    this.empty = h('div.empty');
    this.totalText = h('span.total');
    this.element = h(
      'section.tasks',
      { 'aria-label': 'Tasks' },
      h('div.rail-head', h('h2.rail-title', 'Tasks'), this.totalText),
      h(
        'div.search-line',
        h(
          'div.search',
          createIcon('search'),
          h('label.unseen', { for: 'search' }, 'Search tasks'),
          this.search,
        ),
        this.filter.rangeField,
      ),
      this.filter.element,
      this.picks.bar,
      this.empty,
      h('div.task-table', { role: 'table', 'aria-label': 'Tasks' }, createTitleRow(), this.list.element),
    );
    this.draw = limitToFrames(() => this.#draw());
  }

  /** @param {TaskList} page @param {{ append: boolean }} how */
  setPage({ tasks, next_before: nextBefore, total }, { append }) {
    if (!append) this.tasks.clear();
    for (const task of tasks) this.tasks.set(task.task_id, task);
    this.nextBefore = nextBefore;
    if (!append) this.total = total;
    this.loaded = true;
    this.draw();
  }

  /** Adds or updates a task. @param {TaskChange} task */
  set(task) {
    const existing = this.tasks.get(task.task_id);
    if (existing && existing.updated_at > task.updated_at) return;
    if (existing || this.#matches(task)) {
      if (!existing && task.reason === 'submitted') this.total += 1;
      this.tasks.set(task.task_id, task);
    }
    if (existing && !this.#matches(task)) {
      this.tasks.delete(task.task_id);
      this.total -= 1;
    }
    this.draw();
  }

  /** Updates the number of tasks per state, which also counts tasks that were never loaded. @param {Stats} stats */
  setCounts(stats) {
    this.filter.setCounts(stats);
    const total = this.filter.countMatches(stats);
    if (!this.loaded || this.text !== '' || total === undefined) return;
    this.total = total;
    this.draw();
  }

  /** Query parameters for the hub. @returns {Filters} */
  get filters() {
    return { ...parseSearch(this.text), ...this.filter.query };
  }

  /** The filters in the page's address. */
  get place() {
    return { status: this.filter.key, range: this.filter.range, search: this.text };
  }

  /**
   * Shows the list for an address; returns true if its filters differ from the present ones.
   * @param {URLSearchParams} query
   */
  goTo(query) {
    const text = (query.get('q') ?? '').slice(0, 1_000);
    const isOther = this.filter.goTo(query);
    if (!isOther && text === this.text) return false;
    this.text = text;
    this.search.value = text;
    this.loaded = false;
    return true;
  }

  /** @param {string | undefined} taskId */
  select(taskId) {
    this.selectedId = taskId;
    const index = this.sorted.findIndex((task) => task.task_id === taskId);
    if (index >= 0) this.list.reveal(index);
    this.draw();
  }

  /** @param {Overview['waiting']} waiting */
  setWaiting(waiting) {
    this.waiting = waiting;
    this.draw();
  }

  /** Returns the task above or below the open one. @param {number} step */
  findNeighbour(step) {
    const index = this.sorted.findIndex((task) => task.task_id === this.selectedId);
    return this.sorted[index < 0 ? 0 : Math.min(this.sorted.length - 1, Math.max(0, index + step))]?.task_id;
  }

  /** @param {TaskSummary} task */
  #matches(task) {
    return this.filter.matches(task) && matchesSearch(task, parseSearch(this.text));
  }

  /** @param {(before: number) => Promise<void>} onMore @param {number} before */
  async #readMore(onMore, before) {
    this.loading = true;
    try {
      await onMore(before);
    } catch {
      // The top of the page shows the failure; further scrolling retries.
    }
    this.loading = false;
  }

  #onSearch() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.text = this.search.value.trim();
      this.#onFilterChange();
    }, 200);
  }

  #onFilterChange() {
    this.loaded = false;
    this.list.element.scrollTop = 0;
    this.onFilter(this.filters);
  }

  #draw() {
    this.sorted = [...this.tasks.values()].sort((a, b) => b.seq - a.seq);
    this.picks.retainListed(this.tasks);
    this.list.setItems(this.sorted);
    // Search results are paged, so the total is a lower bound ("+").
    const plusSign = this.text !== '' && this.nextBefore !== null ? '+' : '';
    setText(
      this.totalText,
      this.loaded ? formatCount(Math.max(this.total, this.sorted.length)) + plusSign : '',
    );
    const isEmpty = this.loaded && this.sorted.length === 0;
    this.element.classList.toggle('none', isEmpty);
    this.empty.hidden = !isEmpty;
    if (!isEmpty) return;
    const isFiltered = this.filter.hasFilters || this.text !== '';
    if (this.empty.childElementCount === 0 || this.emptyOfFilter !== isFiltered) {
      this.emptyOfFilter = isFiltered;
      replaceContent(this.empty, isFiltered ? noMatchElements : noTaskElements);
    }
  }

  /** Returns why a task does not continue, if known. @param {TaskSummary} task */
  #reasonOf(task) {
    if (task.status === 'queued') return describeWaiting(task, this.waiting);
    const { on_hold: hold, asks } = task;
    if (asks)
      return `Waiting ${formatDuration(Date.now() - asks.since)} for an answer: ${asks.summary.split('\n', 1)[0]}`;
    return hold ? `On hold for ${formatDuration(Date.now() - hold.since)}: ${hold.reason}` : '';
  }

  /** @param {RowElement} row @param {TaskSummary} task */
  #update(row, task) {
    const isSelected = task.task_id === this.selectedId;
    if (isSelected) row.heading.setAttribute('aria-current', 'true');
    else row.heading.removeAttribute('aria-current');
    row.dataset.status = task.status;
    row.dataset.task = task.task_id;
    row.pick.hidden = !isOpen(task.status) || !hasRole('submitter');
    row.pick.checked = this.picks.chosen.has(task.task_id);
    row.pick.setAttribute('aria-label', `Choose ${makeVisible(task.title) || task.task_id}`);
    setText(row.age, formatAge(task.created_at, Date.now()));
    const { accepted_at: accepted } = task;
    const tookMs = isOpen(task.status) ? accepted && Date.now() - accepted : task.worked_ms;
    setText(row.took, tookMs ? formatDuration(tookMs) : '');
    const reason = this.#reasonOf(task);
    const version = `${task.task_id}:${task.updated_at}:${task.status}:${reason}`;
    if (row.version === version) return;
    row.version = version;
    row.heading.setAttribute('href', formatTaskHref(task.task_id));
    setText(row.heading, task.title || task.task_id);
    row.heading.title = makeVisible(task.title);
    setText(row.reason, reason);
    row.reason.title = makeVisible(reason);
    setText(row.where, shortenRepo(task.repo));
    for (const place of [row.by, row.worker]) setText(place, task.worker_id ?? '');
    row.badge.className = `badge ${statusKindOf(task)}`;
    setText(row.badge, statusNameOf(task));
    setText(row.tokens, task.tokens_in === null ? '' : formatCount(task.tokens_in + (task.tokens_out ?? 0)));
  }
}

/** @param {TaskSummary} task @param {Overview['waiting']} waiting */
function describeWaiting(task, waiting) {
  const { not_before: startMs, worked_ms: workedMs, labels, model, agent_id: onlyWorker } = task;
  if (startMs > Date.now()) {
    return `Waits ${formatDuration(startMs - Date.now())}${workedMs > 0 ? ' until the retry' : ' until it may start'}`;
  }
  /** @param {Overview['waiting'][number]} one */
  const isInGroup = ({ budget, ...one }) =>
    one.oldest_task_id === task.task_id ||
    (onlyWorker === null &&
      one.model === model &&
      String(one.labels) === String(labels) &&
      (budget === null || budgetNameOf(task, budget.per) === budget.name));
  const group = waiting.find((one) => one.budget !== null && isInGroup(one)) ?? waiting.find(isInGroup);
  return group && !/start time|next attempt/.test(group.reason) ? `Waits for ${group.reason}` : '';
}

/**
 * Returns the name of the budget of this kind that a task is charged to.
 * @param {TaskSummary} task @param {Overview['budgets'][number]['per']} per
 */
const budgetNameOf = (task, per) => ({ hub: '', submitter: task.submitted_by, repository: task.repo })[per];

const noMatchElements = [h('p', 'No task matches.'), h('a.button', { href: '#/' }, 'Show all tasks')];
const noTaskElements = [
  h('p', 'No tasks yet.'),
  h('p.note', 'Submit a task with “New task”, or from a terminal:'),
  h('code', 'ollama-sidecar submit "make the tests pass" --repo DIR --verify "npm test"'),
];

/** @param {string} kind @param {Element[]} content */
const createCell = (kind, ...content) => h(`span.cell.${kind}`, { role: 'cell' }, content);

/** Renders the column titles, which only wide windows show. */
const createTitleRow = () =>
  h(
    'div.task-titles',
    { role: 'rowgroup' },
    h(
      'div.task-cells',
      { role: 'row' },
      ['Status', 'Task', 'Worker', 'Age', 'Time', 'Tokens'].map((title) =>
        h('span.cell', { role: 'columnheader' }, title),
      ),
    ),
  );

/** @param {(taskId: string) => void} onPick */
function createRow(onPick) {
  const onchange = (/** @type {Event} */ { target }) =>
    onPick(target instanceof Element ? (target.closest('.task-row')?.getAttribute('data-task') ?? '') : '');
  const parts = {
    pick: h('input', { type: 'checkbox', onchange }),
    heading: h('a.task-title', { href: '#/' }),
    reason: h('span.reason'),
    where: h('span.where'),
    by: h('span.by'),
    badge: h('span.badge'),
    worker: createCell('worker-cell'),
    age: createCell('age'),
    took: createCell('took'),
    tokens: createCell('tokens'),
  };
  const row = h(
    'div.task-row.task-cells',
    { role: 'row' },
    createCell('status', parts.pick, parts.badge),
    createCell('what', parts.heading, h('span.sub-line', parts.reason, parts.where, parts.by)),
    parts.worker,
    parts.age,
    parts.took,
    parts.tokens,
  );
  return Object.assign(row, { ...parts, version: '' });
}
