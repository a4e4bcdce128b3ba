/* The operators' overview: waiting tasks with reasons, tasks per hour, tokens and server time per day, models. */
import { actButton } from './act-button.js';
import { request, unlessRefused } from './api.js';
import { barChart } from './charts.js';
import { fill, h, table } from './dom.js';
import { ago, count, duration, plural, usd } from './format.js';
import { may } from './me.js';
import { filterHref } from './search-text.js';
import { taskLink } from './task-link.js';
/** @import { Column } from './charts.js' */
/** @import { Overview, TokenInfo } from '../page-types.ts' */
/** @typedef {Overview['models'][number]} ModelUse */
/** @typedef {keyof typeof endingNames} Ending */
/** A step of time with its value. @template V @typedef {{ at: number, value: V | undefined }} Step */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const hoursShown = 48;
const daysShown = 14;

const endingNames = {
  verified: 'verified',
  unverified: 'not checked',
  false_success: 'claimed done, checks fail',
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

  /** Reads and draws the overview; the top of the page shows an unreachable hub. */
  async read() {
    /** @type {Overview | undefined} */
    const overview = await unlessRefused(request(`api/overview?days=${daysShown}`));
    if (!overview) return;
    this.onWaiting(overview.waiting);
    await this.#readTokens();
    const now = JSON.stringify({ ...overview, now: Math.floor(overview.now / hourMs) });
    if (now === this.drawn) return;
    this.drawn = now;
    fill(this.waiting, waitingPart(overview));
    fill(this.charts, chartsOf(overview));
    fill(this.models, modelsPart(overview.models));
    fill(this.budgets, budgetsPart(overview.budgets));
  }

  /** Clears the view after another sign-in. */
  reset() {
    this.drawn = '';
    fill(this.tokens);
  }

  async #readTokens() {
    if (!may('admin')) return;
    const answer = await unlessRefused(request('api/tokens'));
    if (!answer) return;
    fill(
      this.tokens,
      tokensPart(answer.tokens, () => this.#readTokens()),
    );
  }
}

/** @param {Overview} overview */
function waitingPart({ waiting, now }) {
  if (waiting.length === 0) return null;
  return [
    h('h2.rail-title', 'Waiting tasks, by reason'),
    h(
      'ul.waiting-list',
      waiting.map((one) =>
        h(
          'li',
          h('b', plural(one.count, 'task')),
          h('span', `for ${one.reason}`),
          h(
            'span.note',
            `oldest submitted ${ago(one.since, now)}: `,
            taskLink(one.oldest_task_id, one.oldest_title),
          ),
          needs(one),
        ),
      ),
    ),
  ];
}

/** @param {Overview['waiting'][number]} group */
function needs({ labels, model }) {
  /** @param {string} key @param {string} value */
  const link = (key, value) => h(`a.chip.${key}`, { href: filterHref(key, value, 'queued') }, value);
  const links = [
    ...(model ? [link('model', model)] : []),
    ...labels.slice(0, 6).map((label) => link('label', label)),
  ];
  return links.length > 0 ? h('span.chips', links) : null;
}

/** @param {Overview} overview */
function chartsOf({ hours, days, now }) {
  const thisHour = now - (now % hourMs);
  const today = now - (now % dayMs);
  const byHour = series(hours, thisHour, hourMs, hoursShown);
  const byDay = series(days, today, dayMs, daysShown);
  /** @param {number} at */
  const hourText = (at) =>
    new Date(at).toLocaleString('en', {
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hour12: false,
    });
  /** @param {number} at */
  const dayText = (at) =>
    new Date(at).toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
  return [
    barChart({
      title: `Tasks per hour, last ${byHour.length} hours`,
      total: count(sum(byHour, ...endings)),
      columns: columns(byHour, endings, hourText),
      names: endingNames,
      format: count,
    }),
    barChart({
      title: `Tokens per day, last ${byDay.length} days`,
      total: count(sum(byDay, 'tokens_in', 'tokens_out')),
      columns: columns(byDay, ['tokens_out', 'tokens_in'], dayText),
      names: { tokens_in: 'read', tokens_out: 'written' },
      format: count,
    }),
    barChart({
      title: `Model server busy per day, last ${byDay.length} days`,
      total: duration(sum(byDay, 'gpu_ms')),
      columns: columns(byDay, ['gpu_ms'], dayText),
      names: { gpu_ms: 'busy' },
      format: duration,
    }),
  ];
}

/** @template {string} K @param {Step<Record<K, number>>[]} list @param {K[]} keys */
const sum = (list, ...keys) =>
  list.reduce((all, { value }) => all + keys.reduce((part, key) => part + (value?.[key] ?? 0), 0), 0);

/** Minimum number of columns: a chart with fewer does not look like a time series. */
const MIN_COLUMNS = 7;

/**
 * Returns one step per interval from the first known value to `last`, at most `max` steps.
 * @template {{ at: number }} V @param {V[]} known @param {number} last @param {number} stepMs @param {number} max @returns {Step<V>[]}
 */
function series(known, last, stepMs, max) {
  const at = new Map(known.map((one) => [one.at, one]));
  const first = Math.min(last, ...at.keys());
  const size = Math.min(max, Math.max(MIN_COLUMNS, (last - first) / stepMs + 1));
  return Array.from({ length: size }, (_, index) => {
    const begin = last - (size - 1 - index) * stepMs;
    return { at: begin, value: at.get(begin) };
  });
}

/**
 * @template {string} K @param {Step<Record<K, number>>[]} list @param {K[]} kinds
 * @param {(at: number) => string} text @returns {Column[]}
 */
const columns = (list, kinds, text) =>
  list.map(({ at, value }) => ({
    label: text(at),
    parts: kinds.map((kind) => ({ kind, value: value?.[kind] ?? 0 })),
  }));

/** @param {ModelUse} one */
const tasksOf = (one) => endings.reduce((sum, kind) => sum + one[kind], 0);
/** @type {(kind: Ending) => (one: ModelUse) => string} */
const shareOf = (kind) => (one) => {
  const tasks = tasksOf(one);
  return tasks === 0 ? '–' : `${Math.round((one[kind] / tasks) * 100)} %`;
};

/** Titles and cells of the table's columns. @type {[title: string, cell: (one: ModelUse) => string][]} */
const modelColumns = [
  ['Tasks', (one) => count(tasksOf(one))],
  ['Solved', shareOf('verified')],
  ['Not checked', shareOf('unverified')],
  ['Claimed done, checks fail', shareOf('false_success')],
  ['Partial', shareOf('partial')],
  ['Failed', shareOf('failed')],
  ['Cancelled', shareOf('cancelled')],
  ['Tokens', (one) => count(one.tokens_in + one.tokens_out)],
  ['Server time', (one) => (one.gpu_ms > 0 ? duration(one.gpu_ms) : '–')],
];

/** @param {ModelUse[]} models */
function modelsPart(models) {
  const known = models.filter(({ model }) => model !== '');
  if (known.length === 0) return null;
  const titles = ['Model', ...modelColumns.map(([title]) => title)];
  return [
    h('h2.rail-title', `Models, last ${daysShown} days`),
    table('Models in figures', titles, known.map(modelRow)),
  ];
}

/** @param {ModelUse} one */
const modelRow = (one) => [
  h('a', { href: filterHref('model', one.model) }, one.model),
  ...modelColumns.map(([, cell]) => cell(one)),
];

/** @param {Overview['budgets']} budgets */
function budgetsPart(budgets) {
  if (budgets.length === 0) return null;
  /** @param {string} used @param {string | null} most */
  const of = (used, most) => (most === null ? used : `${used} of ${most}`);
  return [
    h('h2.rail-title', 'Budgets of today (UTC)'),
    table(
      'Budgets of today',
      ['Of', 'Tokens', 'Cost', ''],
      budgets.map((one) => [
        `${one.per} ${one.name}`.trim(),
        of(count(one.used_tokens), one.max_tokens === null ? null : count(one.max_tokens)),
        of(usd(one.used_usd), one.max_usd === null ? null : usd(one.max_usd)),
        one.used_up ? 'used up until 00:00 UTC' : '',
      ]),
    ),
  ];
}

/** @param {TokenInfo[]} tokens @param {() => Promise<void>} again */
function tokensPart(tokens, again) {
  if (tokens.length === 0) return null;
  const now = Date.now();
  /** @param {TokenInfo} one */
  const revoke = ({ id, name }) =>
    actButton('Revoke', 'quiet', async () => {
      if (!confirm(`Revoke the token ${name}? This closes all connections and streams that use it.`)) return;
      await request(`api/tokens/${id}`, { method: 'DELETE' });
      await again();
    });
  return [
    h('h2.rail-title', 'Tokens'),
    table(
      'Tokens of this hub',
      ['Name', 'Role', 'Created', 'Last used', 'Expires', ''],
      tokens.map((one) => [
        one.name,
        one.role,
        ago(one.created_at, now),
        one.last_used_at === null ? 'never' : ago(one.last_used_at, now),
        one.expires_at === null ? 'never' : new Date(one.expires_at).toLocaleDateString('en'),
        revoke(one),
      ]),
    ),
  ];
}
