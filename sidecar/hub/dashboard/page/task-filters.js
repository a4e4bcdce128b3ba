/* The filters of the list: states with the number of their tasks, and time of submission. */
import { formatCount, isNotVerified } from './format.js';
import { h, setText } from './dom.js';
/** @import { Stats, TaskSummary } from '../page-types.ts' */
/** @typedef {{ status?: string, outcome?: 'unverified' | 'not_done', since?: string }} FilterQuery */
/** @typedef {{ key: string, label: string, query: FilterQuery }} Filter */

/** @type {Filter[]} */
const filters = [
  { key: '', label: 'All', query: {} },
  { key: 'asks', label: 'Asks', query: { status: 'asks' } },
  { key: 'running', label: 'Running', query: { status: 'running,assigned' } },
  { key: 'queued', label: 'Queued', query: { status: 'queued' } },
  { key: 'success', label: 'Done', query: { status: 'success' } },
  { key: 'unverified', label: 'Not verified', query: { outcome: 'unverified' } },
  { key: 'partial', label: 'Partial', query: { status: 'partial' } },
  { key: 'not_done', label: 'Not done', query: { outcome: 'not_done' } },
  { key: 'dead_letter', label: 'Failed', query: { status: 'dead_letter' } },
  { key: 'cancelled', label: 'Cancelled', query: { status: 'cancelled' } },
];

const hourMs = 3_600_000;
/** @type {[key: string, label: string, ms: number][]} */
const ranges = [
  ['', 'Any time', 0],
  ['hour', 'Last hour', hourMs],
  ['day', 'Last 24 hours', 24 * hourMs],
  ['week', 'Last 7 days', 7 * 24 * hourMs],
  ['month', 'Last 30 days', 30 * 24 * hourMs],
];

export class TaskFilters {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.key = '';
    this.range = '';
    this.chips = filters.map(({ key, label }) => this.#createChip(key, label));
    this.select = h(
      'select',
      {
        id: 'range',
        onchange: () => {
          this.range = this.select.value;
          this.onChange();
        },
      },
      ranges.map(([key, label]) => h('option', { value: key }, label)),
    );
    this.rangeField = h('span.range', h('label.unseen', { for: 'range' }, 'Submitted'), this.select);
    this.element = h('div.filters', { role: 'group', 'aria-label': 'Status' }, this.chips);
    this.#updateChips();
  }

  get hasFilters() {
    return this.key !== '' || this.range !== '';
  }

  get #filter() {
    return /** @type {Filter} */ (filters.find(({ key }) => key === this.key) ?? filters[0]);
  }

  get #since() {
    const [, , ms = 0] = ranges.find(([key]) => key === this.range) ?? [];
    return ms > 0 ? Date.now() - ms : undefined;
  }

  /** Query parameters for the hub. @returns {FilterQuery} */
  get query() {
    const since = this.#since;
    return { ...this.#filter.query, ...(since !== undefined && { since: String(since) }) };
  }

  /**
   * Applies the filters of an address; returns true if they differ from the present ones.
   * @param {URLSearchParams} address
   */
  goTo(address) {
    const known = filters.find(({ key }) => key === address.get('status'));
    const [range] = ranges.find(([key]) => key === address.get('range')) ?? [''];
    const key = known?.key ?? '';
    if (key === this.key && range === this.range) return false;
    this.key = key;
    this.range = range;
    this.select.value = range;
    this.#updateChips();
    return true;
  }

  /** @param {TaskSummary} task */
  matches(task) {
    const { status, outcome } = this.#filter.query;
    if (task.created_at < (this.#since ?? 0)) return false;
    if (outcome === 'not_done') return task.not_done;
    if (outcome === 'unverified') return isNotVerified(task);
    return status === undefined || status.split(',').includes(task.status);
  }

  /** Shows the number of tasks in each chip. @param {Stats} stats */
  setCounts(stats) {
    filters.forEach(({ query }, index) => {
      const chip = this.chips[index];
      const tasks = countOf(query, stats);
      chip?.classList.toggle('none', tasks === 0);
      if (chip?.lastElementChild) setText(chip.lastElementChild, tasks > 0 ? formatCount(tasks) : '');
    });
  }

  /**
   * Returns the number of tasks that match the filter; undefined if the hub does not count them.
   * @param {Stats} stats
   */
  countMatches(stats) {
    return this.range === '' ? countOf(this.#filter.query, stats) : undefined;
  }

  /** @param {string} key @param {string} label */
  #createChip(key, label) {
    const onclick = () => {
      this.key = key;
      this.#updateChips();
      this.onChange();
    };
    return h('button.filter', { 'data-filter': key, onclick }, label, h('span.count'));
  }

  #updateChips() {
    for (const chip of this.chips)
      chip.setAttribute('aria-pressed', String(chip.dataset.filter === this.key));
  }
}

/** @param {FilterQuery} query @param {Stats} stats */
function countOf({ status, outcome }, { tasks, outcomes }) {
  if (outcome) return outcomes[outcome];
  return Object.entries(tasks).reduce(
    (sum, [one, number]) => (status === undefined || status.split(',').includes(one) ? sum + number : sum),
    0,
  );
}
