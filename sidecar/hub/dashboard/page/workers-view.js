/* Workers: who is there, what each has to do, and how full its machine is. */
import { request } from './api.js';
import { fill, h, perFrame, say } from './dom.js';
import { ago, bytes } from './format.js';
import { taskHref } from './task-link.js';

export class WorkersView {
  /** `titleOf` names a task, where it is known. */
  constructor({ titleOf }) {
    this.titleOf = titleOf;
    this.workers = new Map();
    this.list = h('ul.worker-list');
    this.element = h(
      'section.workers',
      { 'aria-label': 'Workers' },
      h('h2.rail-title', {}, 'Workers'),
      this.list,
    );
    this.draw = perFrame(() => this.#draw());
  }

  setAll(workers) {
    this.workers = new Map(workers.map((worker) => [worker.agent_id, worker]));
    this.draw();
  }

  set(worker) {
    this.workers.set(worker.agent_id, worker);
    this.draw();
  }

  /** Connected ones first, then those seen last. */
  get sorted() {
    return [...this.workers.values()].sort(
      (a, b) => Number(b.connected) - Number(a.connected) || a.agent_id.localeCompare(b.agent_id),
    );
  }

  #draw() {
    const shown = this.sorted.slice(0, 100);
    const focused = document.activeElement?.closest?.('.worker')?.dataset.agent;
    fill(
      this.list,
      shown.length === 0
        ? h(
            'li.empty',
            {},
            h('p', {}, 'No worker has connected yet. On this hub’s machine make a token for one:'),
            h('code', {}, 'ollama-sidecar token gpu-box-1'),
            h('p', {}, 'On the machine with the models start it:'),
            h('code', {}, `SIDECAR_TOKEN=… ollama-sidecar start --hub-url ${workerAddress()}`),
          )
        : shown.map((worker) => workerCard(worker, this.titleOf)),
      this.workers.size > shown.length
        ? h('li.note', {}, `and ${this.workers.size - shown.length} more`)
        : null,
    );
    if (focused === undefined) return;
    [...this.list.children]
      .find((one) => one.dataset.agent === focused)
      ?.querySelector('button')
      ?.focus();
  }
}

/** Where workers connect to: the hub that served this page. */
const workerAddress = () => `${location.origin.replace(/^http/, 'ws')}/ws`;

function workerCard(worker, titleOf) {
  const state = worker.connected
    ? worker.draining
      ? 'draining'
      : worker.not_ready
        ? 'unready'
        : worker.load > 0
          ? 'busy'
          : 'idle'
    : 'offline';
  const stateNames = {
    draining: 'Draining',
    unready: 'Not ready',
    busy: 'Working',
    idle: 'Idle',
    offline: 'Offline',
  };
  const { resources } = worker;
  return h(
    `li.worker.${state}`,
    { 'data-agent': worker.agent_id },
    h(
      'div.worker-head',
      {},
      h('span.lamp', { 'aria-hidden': 'true' }),
      h('h3', { title: worker.agent_id }, worker.name),
      h(
        'span.worker-state',
        {},
        state === 'offline' ? `Offline, seen ${ago(worker.last_seen_at, Date.now())}` : stateNames[state],
      ),
      worker.connected ? drainButton(worker) : null,
    ),
    worker.connected && (worker.not_ready || worker.notice)
      ? h('p.worker-reason', { role: 'status' }, worker.not_ready || worker.notice)
      : null,
    worker.connected
      ? [
          meter('Tasks', worker.load, worker.capacity, `${worker.load} of ${worker.capacity}`),
          resources?.vram_total_bytes
            ? meter(
                'VRAM',
                resources.vram_used_bytes ?? 0,
                resources.vram_total_bytes,
                `${bytes(resources.vram_used_bytes)} of ${bytes(resources.vram_total_bytes)}`,
              )
            : null,
          resources?.ram_total_bytes
            ? meter(
                'RAM',
                resources.ram_used_bytes ?? 0,
                resources.ram_total_bytes,
                `${bytes(resources.ram_used_bytes)} of ${bytes(resources.ram_total_bytes)}`,
              )
            : null,
          h(
            'p.chips',
            {},
            worker.models.slice(0, 6).map((model) => h('span.chip', {}, model)),
            worker.models.length > 6 ? h('span.chip', {}, `+${worker.models.length - 6}`) : null,
            worker.labels.slice(0, 6).map((label) => h('span.chip.label', {}, label)),
          ),
          worker.task_ids.length > 0
            ? h(
                'p.worker-tasks',
                {},
                worker.task_ids
                  .slice(0, 4)
                  .map((id) => h('a', { href: taskHref(id), title: id }, titleOf(id) ?? id)),
              )
            : null,
        ]
      : null,
  );
}

function meter(name, value, total, text) {
  const percent = total > 0 ? Math.min(100, Math.round((value / total) * 100)) : 0;
  return h(
    'div.meter',
    {},
    h('span.meter-name', {}, name),
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
    h('span.meter-text', {}, text),
  );
}

function drainButton(worker) {
  const button = h(
    'button.small',
    {
      'aria-label': `${worker.draining ? 'Resume' : 'Drain'} ${worker.name}`,
      onclick: async () => {
        button.disabled = true;
        try {
          await request(`/api/workers/${encodeURIComponent(worker.agent_id)}/drain`, {
            method: 'POST',
            body: { drain: !worker.draining },
          });
          say(worker.draining ? 'Worker works again' : 'Worker drains');
        } catch (error) {
          say(error.message);
          button.title = error.message;
        }
        button.disabled = false;
      },
    },
    worker.draining ? 'Resume' : 'Drain',
  );
  return button;
}
