/* The operators' overview: waiting tasks with reasons, tasks per hour, tokens and server time per day, models. */
import { createActionButton } from './act-button.js';
import { request, ignoreRefusal } from './api.js';
import { drawBarChart } from './charts.js';
import { replaceContent, h, renderTable } from './dom.js';
import { formatAge, formatCount, formatDuration, formatPlural, formatUsd } from './format.js';
import { hasRole } from './me.js';
import { formatFilterHref } from './search-text.js';
import { createTaskLink } from './task-link.js';
/** @import { Column } from './charts.js' */
/** @import { Overview, TokenInfo } from '../page-types.ts' */
/** @typedef {Overview['models'][number]} ModelUse */
/** @typedef {keyof typeof endingNames} Ending */
/**
 * One interval of a chart, with its start time and its value.
 * @template V @typedef {{ at: number, value: V | undefined }} Step
 */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const hoursShown = 48;
const daysShown = 14;

const endingNames = {
  verified: 'verified',
  unverified: 'not checked',
  false_success: 'claimed success, checks fail',
  partial: 'partial',
  failed: 'failed',
  cancelled: 'cancelled',
};
const endings = /** @type {Ending[]} */ (Object.keys(endingNames));

export class OverviewView {
  /** `onWaiting` receives the groups of waiting tasks. @param {{ onWaiting: (waiting: Overview['waiting']) => void }} how */
  constructor({ onWaiting }) {
    this.onWaiting = onWaiting;
    this.drawn = '';
    this.waiting = h('section.waiting-box', { 'aria-label': 'Waiting tasks' });
    this.charts = h('section.charts', { 'aria-label': 'Charts' });
    this.models = h('section.models', { 'aria-label': 'Models' });
    this.budgets = h('section.models', { 'aria-label': 'Budgets' });
    this.tokens = h('section.models', { 'aria-label': 'Tokens' });
  }

  /** Reads and draws the overview. A failed request is ignored: the top of the page shows an unreachable hub. */
  async read() {
    /** @type {Overview | undefined} */
    const overview = await ignoreRefusal(request(`api/overview?days=${daysShown}`));
    if (!overview) return;
    this.onWaiting(overview.waiting);
    await this.#readTokens();
    const content = JSON.stringify({ ...overview, now: Math.floor(overview.now / hourMs) });
    if (content === this.drawn) return;
    this.drawn = content;
    replaceContent(this.waiting, renderWaiting(overview));
    replaceContent(this.charts, renderCharts(overview));
    replaceContent(this.models, renderModels(overview.models));
    replaceContent(this.budgets, renderBudgets(overview.budgets));
  }

  /** Clears the view after another sign-in. */
  reset() {
    this.drawn = '';
    replaceContent(this.tokens);
  }

  async #readTokens() {
    if (!hasRole('admin')) return;
    const answer = await ignoreRefusal(request('api/tokens'));
    if (!answer) return;
    replaceContent(
      this.tokens,
      renderTokens(answer.tokens, () => this.#readTokens()),
    );
  }
}

/** @param {Overview} overview */
function renderWaiting({ waiting, now }) {
  if (waiting.length === 0) return null;
  return [
    h('h2.rail-title', 'Waiting tasks, by reason'),
    h(
      'ul.waiting-list',
      waiting.map((one) =>
        h(
          'li',
          h('b', formatPlural(one.count, 'task')),
          h('span', `waiting for ${one.reason}`),
          h(
            'span.note',
            `the oldest was submitted ${formatAge(one.since, now)}: `,
            createTaskLink(one.oldest_task_id, one.oldest_title),
          ),
          renderNeeds(one),
        ),
      ),
    ),
  ];
}

/** @param {Overview['waiting'][number]} group */
function renderNeeds({ labels, model }) {
  /** @param {string} key @param {string} value */
  const link = (key, value) => h(`a.chip.${key}`, { href: formatFilterHref(key, value, 'queued') }, value);
  const links = [
    ...(model ? [link('model', model)] : []),
    ...labels.slice(0, 6).map((label) => link('label', label)),
  ];
  return links.length > 0 ? h('span.chips', links) : null;
}

/** @param {Overview} overview */
function renderCharts({ hours, days, now }) {
  const thisHour = now - (now % hourMs);
  const today = now - (now % dayMs);
  const byHour = createSeries(hours, thisHour, hourMs, hoursShown);
  const byDay = createSeries(days, today, dayMs, daysShown);
  /** @param {number} at */
  const formatHour = (at) =>
    new Date(at).toLocaleString('en', {
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hour12: false,
    });
  /** @param {number} at */
  const formatDay = (at) =>
    new Date(at).toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
  return [
    drawBarChart({
      title: `Tasks per hour, last ${byHour.length} hours`,
      total: formatCount(sumOf(byHour, ...endings)),
      columns: createColumns(byHour, endings, formatHour),
      names: endingNames,
      format: formatCount,
    }),
    drawBarChart({
      title: `Tokens per day, last ${byDay.length} days`,
      total: formatCount(sumOf(byDay, 'tokens_in', 'tokens_out')),
      columns: createColumns(byDay, ['tokens_out', 'tokens_in'], formatDay),
      names: { tokens_in: 'read', tokens_out: 'written' },
      format: formatCount,
    }),
    drawBarChart({
      title: `Busy time of model servers per day, last ${byDay.length} days`,
      total: formatDuration(sumOf(byDay, 'gpu_ms')),
      columns: createColumns(byDay, ['gpu_ms'], formatDay),
      names: { gpu_ms: 'busy' },
      format: formatDuration,
    }),
  ];
}

/** @template {string} K @param {Step<Record<K, number>>[]} list @param {K[]} keys */
const sumOf = (list, ...keys) =>
  list.reduce((all, { value }) => all + keys.reduce((part, key) => part + (value?.[key] ?? 0), 0), 0);

/** Minimum number of columns: a chart with fewer does not look like a time series. */
const MIN_COLUMNS = 7;

/**
 * Returns one step for each interval from the first known value to `last`, at most `max` steps.
 * @template {{ at: number }} V @param {V[]} steps @param {number} last @param {number} stepMs @param {number} max @returns {Step<V>[]}
 */
function createSeries(steps, last, stepMs, max) {
  const stepsByTime = new Map(steps.map((one) => [one.at, one]));
  const first = Math.min(last, ...stepsByTime.keys());
  const size = Math.min(max, Math.max(MIN_COLUMNS, (last - first) / stepMs + 1));
  return Array.from({ length: size }, (_, index) => {
    const begin = last - (size - 1 - index) * stepMs;
    return { at: begin, value: stepsByTime.get(begin) };
  });
}

/**
 * @template {string} K @param {Step<Record<K, number>>[]} list @param {K[]} kinds
 * @param {(at: number) => string} text @returns {Column[]}
 */
const createColumns = (list, kinds, text) =>
  list.map(({ at, value }) => ({
    label: text(at),
    parts: kinds.map((kind) => ({ kind, value: value?.[kind] ?? 0 })),
  }));

/** @param {ModelUse} one */
const countTasks = (one) => endings.reduce((sum, kind) => sum + one[kind], 0);
/** @type {(kind: Ending) => (one: ModelUse) => string} */
const formatShare = (kind) => (one) => {
  const tasks = countTasks(one);
  return tasks === 0 ? '–' : `${Math.round((one[kind] / tasks) * 100)} %`;
};

/** Titles and cells of the table's columns. @type {[title: string, cell: (one: ModelUse) => string][]} */
const modelColumns = [
  ['Tasks', (one) => formatCount(countTasks(one))],
  ['Solved', formatShare('verified')],
  ['Not checked', formatShare('unverified')],
  ['Claimed success, checks fail', formatShare('false_success')],
  ['Partial', formatShare('partial')],
  ['Failed', formatShare('failed')],
  ['Cancelled', formatShare('cancelled')],
  ['Tokens', (one) => formatCount(one.tokens_in + one.tokens_out)],
  ['Server time', (one) => (one.gpu_ms > 0 ? formatDuration(one.gpu_ms) : '–')],
];

/** @param {ModelUse[]} models */
function renderModels(models) {
  const namedModels = models.filter(({ model }) => model !== '');
  if (namedModels.length === 0) return null;
  const titles = ['Model', ...modelColumns.map(([title]) => title)];
  return [
    h('h2.rail-title', `Models, last ${daysShown} days`),
    renderTable('Figures per model', titles, namedModels.map(createModelRow)),
  ];
}

/** @param {ModelUse} one */
const createModelRow = (one) => [
  h('a', { href: formatFilterHref('model', one.model) }, one.model),
  ...modelColumns.map(([, cell]) => cell(one)),
];

/** @param {Overview['budgets']} budgets */
function renderBudgets(budgets) {
  if (budgets.length === 0) return null;
  /** @param {string} used @param {string | null} most */
  const formatUse = (used, most) => (most === null ? used : `${used} of ${most}`);
  return [
    h('h2.rail-title', 'Today’s budgets (UTC)'),
    renderTable(
      'Today’s budgets',
      ['Budget of', 'Tokens', 'Cost', ''],
      budgets.map((one) => [
        `${one.per} ${one.name}`.trim(),
        formatUse(formatCount(one.used_tokens), one.max_tokens === null ? null : formatCount(one.max_tokens)),
        formatUse(formatUsd(one.used_usd), one.max_usd === null ? null : formatUsd(one.max_usd)),
        one.used_up ? 'exhausted until 00:00 UTC' : '',
      ]),
    ),
  ];
}

/** @param {TokenInfo[]} tokens @param {() => Promise<void>} reload */
function renderTokens(tokens, reload) {
  if (tokens.length === 0) return null;
  const now = Date.now();
  /** @param {TokenInfo} one */
  const createRevokeButton = ({ id, name }) =>
    createActionButton('Revoke', 'quiet', async () => {
      if (!confirm(`Revoke the token ${name}? This closes all connections and streams that use it.`)) return;
      await request(`api/tokens/${id}`, { method: 'DELETE' });
      await reload();
    });
  return [
    h('h2.rail-title', 'Tokens'),
    renderTable(
      'Tokens of this hub',
      ['Name', 'Role', 'Created', 'Last used', 'Expires', ''],
      tokens.map((one) => [
        one.name,
        one.role,
        formatAge(one.created_at, now),
        one.last_used_at === null ? 'never' : formatAge(one.last_used_at, now),
        one.expires_at === null ? 'never' : new Date(one.expires_at).toLocaleDateString('en'),
        createRevokeButton(one),
      ]),
    ),
  ];
}
