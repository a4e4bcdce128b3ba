/* The page: sign-in, routes, live feed, shortcuts. */
import {
  ApiError,
  forgetToken,
  messageOf,
  request,
  setToken,
  takeTokenFromAddress,
  readToken,
} from './api.js';
import { AskStrip } from './ask-strip.js';
import { openHelp } from './dialogs.js';
import { findById, replaceContent, h, createIcon, limitToFrames, announce, setText } from './dom.js';
import { Feed } from './feed.js';
import { formatCount, formatUsd } from './format.js';
import { hasRole, readMe } from './me.js';
import { openNewTask } from './new-task.js';
import { OverviewView } from './overview-view.js';
import { formatListHref } from './search-text.js';
import { formatTaskHref } from './task-link.js';
import { TaskView } from './task-view.js';
import { TasksView } from './tasks-view.js';
import { WorkersView } from './workers-view.js';
/** @import { Tab } from './task-tabs.js' */
/** @import { Stats, TaskDetail } from '../page-types.ts' */

const main = findById('main');
const banner = findById('banner');
const statsIntervalMs = 2_000;
const overviewIntervalMs = 10_000;

class App {
  constructor() {
    /** @type {string | undefined} */
    this.taskId = undefined;
    /** @type {Stats | undefined} */
    this.stats = undefined;
    this.statsStale = false;
    this.statsAt = 0;
    this.overviewAt = 0;
    this.lost = false;
    this.isRoleKnown = false;
    this.newButton = h(
      'button.primary.new',
      { onclick: () => this.#openNewTask(), 'aria-keyshortcuts': 'n' },
      createIcon('plus'),
      h('span', 'New task'),
    );
    this.lampText = h('span.lamp-text', 'Connecting');
    this.lamp = h(
      'span.connection',
      { 'data-state': 'lost' },
      h('span.lamp', { 'aria-hidden': 'true' }),
      this.lampText,
    );
    this.feed = new Feed({
      onTasks: (page, how) => this.tasks.setPage(page, how),
      onTask: (task) => {
        this.tasks.set(task);
        this.workers.draw();
        this.statsStale = true;
      },
      onWorkers: (workers) => {
        this.workers.setAll(workers);
        this.tasks.draw();
      },
      onWorker: (worker) => {
        this.workers.set(worker);
        this.tasks.draw();
        this.statsStale = true;
      },
      onTaskEvent: (event) => this.task.addEvent(event),
      onDetail: (detail, how) => this.task.setDetail(detail, how),
      onConnection: (state, error) => this.#onConnection(state, error),
      onRefused: (error) => this.signIn(error.message),
    });
    this.tasks = new TasksView({
      onFilter: (filters) => {
        if (main.dataset.route === 'tasks') history.replaceState(null, '', formatListHref(this.tasks.place));
        this.feed.start({ filters });
      },
      onMore: (before) => this.feed.readMore(before),
    });
    this.workers = new WorkersView({ taskOf: (taskId) => this.tasks.tasks.get(taskId) });
    this.task = new TaskView({
      onBack: () => (location.hash = formatListHref(this.tasks.place)),
      onAgain: (detail) => this.#openNewTask(detail),
    });
    this.asks = new AskStrip();
    this.tiles = h('dl.tiles');
    this.figures = new OverviewView({
      onWaiting: (waiting) => this.tasks.setWaiting(waiting),
    });
    this.overview = h(
      'section.overview',
      { 'aria-label': 'Overview' },
      this.tiles,
      this.figures.waiting,
      this.workers.element,
      this.figures.budgets,
      this.figures.charts,
      this.figures.models,
      this.figures.tokens,
    );
    this.detail = h('div.detail', this.overview);
    this.shell = h('div.shell', h('div.rail', this.tasks.element), this.detail);
    this.scheduleStats = limitToFrames(() => this.#drawStats());
  }

  start() {
    this.#drawTop();
    addEventListener('hashchange', () => this.#onHashChange());
    addEventListener('keydown', (event) => this.#onKey(event));
    setInterval(() => this.#tick(), 1000);
    if (readToken()) void this.open();
    else this.signIn();
  }

  async open() {
    await this.#readRole();
    if (!readToken()) return;
    replaceContent(main, this.shell);
    document.body.classList.remove('signed-out');
    this.statsStale = true;
    this.overviewAt = 0;
    this.figures.reset();
    this.#showRoute(true);
    this.#readOverview();
  }

  /** Reads the token's role. If the hub is unreachable, the role is read again after the reconnect. */
  async #readRole() {
    try {
      await readMe();
      this.isRoleKnown = true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.isRoleKnown = false;
      if (error.status === 401 || error.status === 403) this.signIn(error.message);
    }
    this.newButton.hidden = !hasRole('submitter');
  }

  /** @param {string} [problem] */
  signIn(problem) {
    this.feed.stop();
    this.lost = false;
    replaceContent(banner);
    this.workers.setAll([]);
    void this.asks.update(0);
    forgetToken();
    this.#showConnection('off');
    const input = h('input', {
      type: 'password',
      id: 'token',
      autocomplete: 'off',
      required: true,
      'aria-describedby': 'token-help',
    });
    const form = h(
      'form.sign-in',
      {
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          if (input.value.trim() === '') return;
          setToken(input.value.trim());
          void this.open();
        },
      },
      h('h1', 'ollama-sidecar hub'),
      problem ? h('p.problem', { role: 'alert' }, problem) : null,
      h('label', { for: 'token' }, 'Token'),
      input,
      h(
        'p.note',
        { id: 'token-help' },
        'The hub printed the path of its admin token when it started. To create a token for another user, run ',
        h('code', 'ollama-sidecar token NAME --role viewer'),
        '. Your token is stored in this tab only.',
      ),
      h('button.primary', { type: 'submit' }, 'Open the dashboard'),
    );
    replaceContent(main, form);
    document.body.classList.add('signed-out');
    input.focus();
  }

  #onHashChange() {
    if (new URLSearchParams(location.hash.slice(1)).has('token')) {
      takeTokenFromAddress();
      void this.open();
    } else if (readToken()) this.#showRoute(false);
  }

  /** @param {boolean} fresh */
  #showRoute(fresh) {
    const [, encodedId] = /^#\/task\/(.+)$/.exec(location.hash) ?? [];
    const taskId = encodedId === undefined ? undefined : decodeSafely(encodedId);
    const isOverview = /^#\/(overview|workers)$/.test(location.hash);
    main.dataset.route = taskId !== undefined ? 'task' : isOverview ? 'overview' : 'tasks';
    const filtered =
      main.dataset.route === 'tasks' &&
      this.tasks.goTo(new URLSearchParams(location.hash.split('?')[1] ?? ''));
    this.workers.hasStrip = !isOverview;
    this.workers.draw();
    for (const link of document.querySelectorAll('.nav a')) {
      if (link.getAttribute('data-route') === main.dataset.route) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    const changed = taskId !== this.taskId;
    this.taskId = taskId;
    replaceContent(this.detail, taskId === undefined ? this.overview : this.task.element);
    this.tasks.select(taskId);
    document.title = this.asks.titleOf();
    if (changed && taskId !== undefined) this.task.open(taskId);
    if (changed || fresh || filtered) this.feed.start({ taskId, filters: this.tasks.filters });
    if (changed && !fresh) this.detail.scrollTop = 0;
  }

  /** @param {'live' | 'lost'} state @param {unknown} [error] */
  #onConnection(state, error) {
    this.#showConnection(state);
    if (state === 'live' && this.lost) announce('Connected again');
    this.lost = state === 'lost';
    if (!this.lost && !this.isRoleKnown) void this.#readRole().then(() => this.task.draw());
    replaceContent(
      banner,
      this.lost
        ? h(
            'p.lost',
            createIcon('alert'),
            `${error ? messageOf(error) : 'The connection was lost.'} Trying again…`,
          )
        : null,
    );
  }

  /** @param {'live' | 'lost' | 'off'} state */
  #showConnection(state) {
    const names = { live: 'Live', lost: 'Reconnecting', off: 'Signed out' };
    this.lamp.dataset.state = state;
    setText(this.lampText, names[state]);
  }

  #drawTop() {
    replaceContent(
      findById('top'),
      h(
        'a.brand',
        { href: '#/' },
        h('img', { src: 'icon.svg', alt: '', width: '26', height: '26' }),
        h('span', 'ollama-sidecar'),
      ),
      h(
        'nav.nav',
        { 'aria-label': 'Pages' },
        h('a', { href: '#/', 'data-route': 'tasks' }, 'Tasks'),
        h('a', { href: '#/overview', 'data-route': 'overview' }, 'Overview'),
      ),
      this.asks.link,
      h('span.grow'),
      this.lamp,
      this.newButton,
      h(
        'button.quiet.icon-only',
        { 'aria-label': 'Keyboard shortcuts', 'aria-keyshortcuts': '?', onclick: openHelp },
        createIcon('question'),
      ),
    );
  }

  /** Opens the form; `again` is the task to submit again. @param {TaskDetail} [again] */
  #openNewTask(again) {
    if (!readToken() || !hasRole('submitter')) return;
    openNewTask({
      workers: this.workers.sorted,
      tasks: this.tasks.sorted,
      again,
      onCreated: (task) => (location.hash = formatTaskHref(task.task_id)),
    });
  }

  #tick() {
    this.task.tick();
    this.tasks.draw();
    this.#readOverview();
    if (!this.statsStale || !readToken() || Date.now() - this.statsAt < statsIntervalMs) return;
    this.statsStale = false;
    this.statsAt = Date.now();
    request('api/stats').then(
      (/** @type {Stats} */ stats) => {
        this.stats = stats;
        this.tasks.setCounts(stats);
        void this.asks.update(stats.tasks.asks).then(() => (document.title = this.asks.titleOf()));
        this.scheduleStats();
      },
      () => (this.statsStale = true),
    );
  }

  /** Reads the overview, which also has the reasons of waiting tasks in the list. */
  #readOverview() {
    if (!readToken() || document.hidden || Date.now() - this.overviewAt < overviewIntervalMs) return;
    this.overviewAt = Date.now();
    void this.figures.read();
  }

  #drawStats() {
    if (!this.stats) return;
    const { tasks, workers, totals } = this.stats;
    /** @type {[name: string, value: string, kind: string][]} */
    const figures = [
      ['Asks', formatCount(tasks.asks), 'asks'],
      ['Running', formatCount(tasks.running + tasks.assigned), 'running'],
      ['Queued', formatCount(tasks.queued), 'queued'],
      ['Done', formatCount(tasks.success), 'success'],
      ['Partial', formatCount(tasks.partial), 'partial'],
      ['Failed', formatCount(tasks.dead_letter), 'dead_letter'],
      ['Busy slots', `${workers.load} of ${workers.capacity}`, ''],
      ['Tokens', formatCount(totals.tokens_in + totals.tokens_out), ''],
      ['Cost', formatUsd(totals.estimated_cost_usd), ''],
    ];
    replaceContent(
      this.tiles,
      figures.map(([name, value, kind]) =>
        h(`div.tile${kind ? `.${kind}` : ''}`, h('dt', name), h('dd', value)),
      ),
    );
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      document.querySelector('dialog[open]')
    )
      return;
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    if (event.key === 'Escape') {
      if (isTyping) event.target.blur();
      else if (this.taskId !== undefined) location.hash = formatListHref(this.tasks.place);
      return;
    }
    if (isTyping || !readToken()) return;
    const act = this.#createShortcuts()[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @returns {Record<string, () => void>} */
  #createShortcuts() {
    /** @type {Tab[]} */
    const tabs = ['timeline', 'plan', 'changes', 'checks', 'result'];
    /** @param {number} by */
    const goToNeighbour = (by) => {
      const next = this.tasks.findNeighbour(by);
      if (next !== undefined) location.hash = formatTaskHref(next);
    };
    return {
      '/': () => this.tasks.search.focus(),
      j: () => goToNeighbour(1),
      k: () => goToNeighbour(-1),
      o: () => (location.hash = '#/overview'),
      n: () => this.#openNewTask(),
      '?': openHelp,
      f: () => this.task.tabs.timelineView.follow(),
      s: () => this.taskId !== undefined && this.task.steerBox.text.focus(),
      ...Object.fromEntries(
        tabs.map((tab, index) => [
          String(index + 1),
          () => this.taskId !== undefined && this.task.tabs.choose(tab),
        ]),
      ),
    };
  }
}

/** @param {string} text */
function decodeSafely(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

takeTokenFromAddress();
new App().start();
