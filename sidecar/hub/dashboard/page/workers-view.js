/* Workers: state, tasks and memory of each. */
import { messageOf, request } from './api.js';
import { findById, renderFacts, replaceContent, h, limitToFrames, announce } from './dom.js';
import { replaceCodes } from './explain.js';
import { formatAge, formatBytes, formatDuration } from './format.js';
import { hasRole } from './me.js';
import { formatFilterHref } from './search-text.js';
import { createTaskLink } from './task-link.js';
import { isTroubled, TroubleStrip } from './trouble-strip.js';
/** @import { Child, TaskSummary, Worker } from '../page-types.ts' */

export class WorkersView {
  /** `taskOf` returns a task of the list. @param {{ taskOf: (taskId: string) => TaskSummary | undefined }} how */
  constructor({ taskOf }) {
    this.strip = new TroubleStrip(findById('trouble'), {
      taskOf,
      resume: (worker) => (hasRole('admin') ? createDrainButton(worker) : null),
    });
    /** Whether the strip of workers that need attention is shown; false on the overview, whose cards show the same. */
    this.hasStrip = true;
    /** @type {Map<string, Worker>} */
    this.workers = new Map();
    this.list = h('ul.worker-list');
    this.element = h(
      'section.workers',
      { 'aria-label': 'Workers' },
      h('h2.rail-title', 'Workers'),
      this.list,
    );
    this.draw = limitToFrames(() => this.#draw());
  }

  /** @param {readonly Worker[]} workers */
  setAll(workers) {
    for (const worker of workers) this.strip.recordChange(this.workers.get(worker.agent_id), worker);
    this.workers = new Map(workers.map((worker) => [worker.agent_id, worker]));
    this.draw();
  }

  /** @param {Worker} worker */
  set(worker) {
    this.strip.recordChange(this.workers.get(worker.agent_id), worker);
    this.workers.set(worker.agent_id, worker);
    this.draw();
  }

  /** Returns the workers: first those that need attention, then other connected ones. */
  get sorted() {
    return [...this.workers.values()].sort(
      (a, b) =>
        Number(isTroubled(b)) - Number(isTroubled(a)) ||
        Number(b.connected) - Number(a.connected) ||
        a.agent_id.localeCompare(b.agent_id),
    );
  }

  #draw() {
    this.strip.draw(this.hasStrip ? this.sorted : []);
    const shownWorkers = this.sorted.slice(0, 100);
    const focusedAgent = document.activeElement?.closest('.worker')?.getAttribute('data-agent');
    replaceContent(
      this.list,
      shownWorkers.length === 0
        ? h(
            'li.empty',
            h('p', 'No worker has connected yet. Create a token on this hub’s machine:'),
            h('code', 'ollama-sidecar token gpu-box-1'),
            h('p', 'Start the worker on the machine with the models:'),
            h('code', `SIDECAR_TOKEN=… ollama-sidecar start --hub-url ${findWorkerAddress()}`),
          )
        : shownWorkers.map(renderWorker),
      this.workers.size > shownWorkers.length
        ? h('li.note', `and ${this.workers.size - shownWorkers.length} more`)
        : null,
    );
    if (!focusedAgent) return;
    [...this.list.children]
      .find((one) => one.getAttribute('data-agent') === focusedAgent)
      ?.querySelector('button')
      ?.focus();
  }
}

/** Returns the address for workers: the hub that served this page. */
const findWorkerAddress = () => new URL('ws', document.baseURI).href.replace(/^http/, 'ws');

/** @type {Record<string, string>} */
const stateNames = {
  drained: 'Drained',
  draining: 'Draining',
  unready: 'Not ready',
  busy: 'Working',
  idle: 'Idle',
};

/** @param {Worker} worker */
function stateOf(worker) {
  if (!worker.connected) return 'offline';
  if (worker.draining) return worker.load > 0 ? 'draining' : 'drained';
  if (worker.not_ready) return 'unready';
  return worker.load > 0 ? 'busy' : 'idle';
}

/** @param {Worker} worker */
function renderWorker(worker) {
  const state = stateOf(worker);
  return h(
    `li.worker.${state}`,
    { 'data-agent': worker.agent_id },
    h(
      'div.worker-head',
      h('span.lamp', { 'aria-hidden': 'true' }),
      h(
        'h3',
        { title: worker.agent_id },
        h(
          'a',
          { href: formatFilterHref('worker', worker.agent_id), title: 'Show the tasks of this worker' },
          worker.name,
        ),
      ),
      h(
        'span.worker-state',
        stateNames[state] ?? `Offline, last seen ${formatAge(worker.last_seen_at, Date.now())}`,
      ),
      (worker.connected || worker.draining) && hasRole('admin') ? createDrainButton(worker) : null,
    ),
    worker.connected ? renderConnected(worker) : null,
  );
}

/** @param {Worker} worker */
function renderConnected(worker) {
  const reason = worker.not_ready || worker.needs_model || worker.notice;
  const { models, labels, tasks, load, capacity } = worker;
  return [
    reason ? h('p.worker-reason', { role: 'status' }, reason) : null,
    renderMeter('Tasks', load, capacity, `${load} of ${capacity}`),
    renderMemory('VRAM', worker.resources?.vram_used_bytes, worker.resources?.vram_total_bytes),
    renderMemory('RAM', worker.resources?.ram_used_bytes, worker.resources?.ram_total_bytes),
    h(
      'p.chips',
      models.slice(0, 6).map((model) => h('span.chip', model)),
      models.length > 6 ? h('span.chip', `+${models.length - 6}`) : null,
      labels.slice(0, 6).map((label) => h('span.chip.label', label)),
    ),
    renderFacts('worker-facts', workerFactsOf(worker)),
    tasks.length > 0
      ? h(
          'p.worker-tasks',
          tasks.slice(0, 4).map(({ task_id: id, title }) => createTaskLink(id, title)),
        )
      : null,
  ];
}

/** @param {Worker} worker @returns {[string, Child][]} */
function workerFactsOf({
  version,
  outdated,
  model,
  tokens_per_second: speed,
  last_error: error,
  connected_at: since,
}) {
  const now = Date.now();
  /** @type {[string, Child][]} */
  const facts = [
    ['Version', version && (outdated ? h('span.outdated', `${version}, older than the hub`) : version)],
    ['Last model', model && (speed === null ? model : `${model}, ${speed} tokens/s`)],
    ['Connected', since && `for ${formatDuration(now - since)}`],
    [
      'Last error',
      error &&
        h('span.problem', { title: error.text }, `${formatAge(error.at, now)}: ${replaceCodes(error.text)}`),
    ],
  ];
  return facts.filter(([, value]) => value);
}

/** @param {string} name @param {number | null | undefined} used @param {number | null | undefined} total */
const renderMemory = (name, used, total) =>
  total ? renderMeter(name, used ?? 0, total, `${formatBytes(used)} of ${formatBytes(total)}`) : null;

/** @param {string} name @param {number} value @param {number} total @param {string} text */
function renderMeter(name, value, total, text) {
  const percent = total > 0 ? Math.min(100, Math.round((value / total) * 100)) : 0;
  return h(
    'div.meter',
    h('span.meter-name', name),
    h(
      `span.meter-bar${percent >= 90 && name !== 'Tasks' ? '.high' : ''}`,
      {
        role: 'meter',
        'aria-label': name,
        'aria-valuenow': percent,
        'aria-valuemin': '0',
        'aria-valuemax': '100',
        'aria-valuetext': text,
      },
      h('span.meter-fill', { style: { width: `${percent}%` } }),
    ),
    h('span.meter-text', text),
  );
}

/**
 * Creates the button that drains a worker. It asks for confirmation: after an accidental drain, tasks would wait.
 * @param {Worker} worker
 */
function createDrainButton(worker) {
  const question = `Drain ${worker.name}? It finishes its tasks and gets no new ones until it is resumed.`;
  const button = h(
    'button.small',
    {
      'aria-label': `${worker.draining ? 'Resume' : 'Drain'} ${worker.name}`,
      onclick: async () => {
        if (!worker.draining && !window.confirm(question)) return;
        button.disabled = true;
        try {
          await request(`api/workers/${encodeURIComponent(worker.agent_id)}/drain`, {
            method: 'POST',
            body: { drain: !worker.draining },
          });
          announce(worker.draining ? 'Worker resumed' : 'Worker is draining');
        } catch (error) {
          button.title = messageOf(error);
          announce(button.title);
        }
        button.disabled = false;
      },
    },
    worker.draining ? 'Resume' : 'Drain',
  );
  return button;
}
