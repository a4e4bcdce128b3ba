/*
 * One task: what it is, how it goes, what it asks, what came out. Parts are drawn again only when they change.
 */
import { ApiError, request } from './api.js';
import { changesPanel } from './diff.js';
import { fill, h, icon, perFrame, say, setText } from './dom.js';
import { count, duration, isOpen, shortRepo, statusNames, usd } from './format.js';
import { checksPanel, planPanel, resultPanel } from './panels.js';
import { Timeline } from './timeline-model.js';
import { TimelineView } from './timeline-view.js';

const tabs = [
  ['timeline', 'Timeline'],
  ['plan', 'Plan'],
  ['changes', 'Changes'],
  ['checks', 'Checks'],
  ['result', 'Result'],
];

export class TaskView {
  constructor({ onBack }) {
    this.onBack = onBack;
    this.detail = undefined;
    this.timeline = new Timeline();
    this.tab = 'timeline';
    this.timelineView = new TimelineView();
    this.head = h('header.task-head');
    this.facts = h('dl.figures');
    this.asks = h('div.asks');
    this.outcome = h('div.outcome-box');
    this.panel = h('div.panel', { role: 'tabpanel', id: 'panel', tabindex: '-1' });
    this.tabList = this.#createTabs();
    this.steerBox = this.#createSteering();
    this.element = h(
      'article.task',
      { 'aria-label': 'Task' },
      this.head,
      this.facts,
      this.asks,
      this.outcome,
      this.steerBox,
      this.tabList,
      this.panel,
    );
    this.draw = perFrame(() => this.#draw());
  }

  /** Another task, or none yet; the history follows by `addEvent`. */
  open(taskId) {
    this.taskId = taskId;
    this.detail = undefined;
    this.error = undefined;
    this.timeline = new Timeline();
    this.drawn = {};
    this.tab = 'timeline';
    this.steerText.value = '';
    this.timelineView.show(this.timeline);
    this.draw();
  }

  setDetail(detail, { fresh, error } = {}) {
    if (fresh) {
      this.timeline = new Timeline();
      this.timelineView.show(this.timeline);
    }
    this.detail = detail;
    this.error = error;
    this.draw();
  }

  /** A stored event of this task, in order. */
  addEvent(event) {
    this.timeline.add(event);
    if (event.kind === 'task') this.#stateChanged(event.body);
    if (event.kind === 'approval') this.#approvalChanged(event.body);
    this.draw();
  }

  showTab(name, focus = false) {
    this.tab = name;
    this.draw();
    if (focus) this.tabButtons.get(name).focus();
  }

  tick() {
    if (!this.detail || !isOpen(this.detail.status)) return;
    this.#drawFigures();
    if (this.tab === 'timeline') this.timelineView.draw();
  }

  #stateChanged(summary) {
    if (!this.detail) return;
    const { reason, ...rest } = summary;
    if (rest.updated_at < this.detail.updated_at) return;
    const ended = isOpen(this.detail.status) && !isOpen(rest.status);
    this.detail = { ...this.detail, ...rest };
    if (ended) say(`Task ended: ${statusNames[rest.status]}`);
    // The result, and why a queued task waits, are not in the event.
    if (reason === 'completed' || reason === 'dead_letter' || reason === 'retry') this.#reload();
  }

  #approvalChanged(approval) {
    if (!this.detail) return;
    const others = this.detail.approvals.filter((one) => one.approval_id !== approval.approval_id);
    if (approval.status === 'pending') say('The task asks for an answer');
    this.detail = { ...this.detail, approvals: [...others, approval] };
  }

  async #reload() {
    const { taskId } = this;
    try {
      const detail = await request(`/api/tasks/${encodeURIComponent(taskId)}`);
      if (taskId === this.taskId) this.setDetail(detail);
    } catch (error) {
      // The stream reconnects and reads the task again; nothing is lost.
      if (!(error instanceof ApiError)) throw error;
    }
  }

  #draw() {
    const { detail, error } = this;
    this.element.classList.toggle('loading', !detail && !error);
    this.element.setAttribute('aria-busy', String(!detail && !error));
    for (const part of [this.facts, this.asks, this.outcome, this.tabList, this.panel]) part.hidden = !detail;
    this.steerBox.hidden = !detail || !isOpen(detail.status);
    if (!detail) {
      this.#drawMissing(error);
      return;
    }
    this.#part('head', [detail.title, detail.status, detail.waiting_for, detail.follow_up_task_id], () =>
      this.#drawHead(),
    );
    this.#drawFigures();
    this.#part('asks', detail.approvals, () => this.#drawAsks());
    this.#part(
      'outcome',
      [detail.status, detail.error, detail.result !== null, detail.follow_up_task_id],
      () => this.#drawOutcome(),
    );
    this.#drawPanel();
  }

  /** Draws a part again only where what it shows has changed: a half-typed answer must survive. */
  #part(name, facts, draw) {
    const now = JSON.stringify(facts);
    if (this.drawn[name] === now) return;
    this.drawn[name] = now;
    draw();
  }

  #drawMissing(error) {
    this.drawn = {};
    fill(
      this.head,
      this.#backButton(),
      error
        ? h(
            'div.empty',
            { role: 'alert' },
            h('h2', {}, 'This task cannot be shown'),
            h('p', {}, error.message),
          )
        : h('div.skeleton', {}, h('span.unseen', {}, 'Loading the task')),
    );
  }

  #backButton() {
    return h('button.back.quiet', { onclick: () => this.onBack() }, icon('back'), 'Tasks');
  }

  #drawHead() {
    const { detail } = this;
    const { content } = detail;
    fill(
      this.head,
      this.#backButton(),
      h(
        'div.title-line',
        {},
        h('h2', {}, detail.title || detail.task_id),
        statusBadge(detail.status),
        h('div.actions', {}, this.#actions()),
      ),
      h(
        'p.sub',
        {},
        h('code', {}, detail.task_id),
        detail.repo ? h('span', { title: detail.repo }, shortRepo(detail.repo)) : null,
        detail.follow_up_of ? h('span', {}, 'follows ', taskLink(detail.follow_up_of)) : null,
        detail.waiting_for ? h('span.waiting', {}, `Waiting for ${detail.waiting_for}`) : null,
      ),
      String(content.description ?? '').trim() === detail.title
        ? null
        : h(
            'details.description',
            {},
            h('summary', {}, 'Description'),
            h('pre', { tabindex: '0' }, String(content.description ?? '')),
          ),
    );
  }

  #actions() {
    const { detail } = this;
    const path = `/api/tasks/${encodeURIComponent(detail.task_id)}`;
    if (isOpen(detail.status)) {
      return this.#button('Cancel task', 'danger', async () => {
        await request(`${path}/cancel`, { method: 'POST', body: {} });
        say('Task cancelled');
      });
    }
    if (detail.status === 'dead_letter' || detail.status === 'cancelled') {
      return this.#button('Try again', '', async () => {
        await request(`${path}/retry`, { method: 'POST', body: {} });
        say('Task is queued again');
      });
    }
    return null;
  }

  /** A button that cannot be pressed twice at once and says what went wrong. */
  #button(label, kind, act, props = {}) {
    const problem = h('span.problem', { role: 'alert' });
    const button = h(
      `button${kind ? `.${kind}` : ''}`,
      {
        ...props,
        onclick: async () => {
          button.disabled = true;
          problem.textContent = '';
          try {
            await act();
          } catch (error) {
            problem.textContent = error.message;
          }
          button.disabled = false;
        },
      },
      label,
    );
    return [button, problem];
  }

  #drawFigures() {
    const { detail, timeline } = this;
    const open = isOpen(detail.status);
    const end = detail.finished_at ?? Date.now();
    const tokens =
      open || detail.tokens_in === null ? timeline.tokens : detail.tokens_in + (detail.tokens_out ?? 0);
    const cost = open ? (timeline.costUsd ?? detail.estimated_cost_usd) : detail.estimated_cost_usd;
    const figures = [
      ['Worker', detail.worker_id ?? '–'],
      ['Model', detail.model ?? timeline.model ?? '–'],
      ['Time', detail.accepted_at ? duration(end - detail.accepted_at) : '–'],
      ['Iterations', String(detail.iterations_used ?? (timeline.iteration || '–'))],
      [
        'Tool calls',
        timeline.failures > 0
          ? `${timeline.toolCalls} (${timeline.failures} failed)`
          : String(timeline.toolCalls),
      ],
      ['Tokens', count(tokens)],
      ['Cost', usd(cost ?? (open ? undefined : null))],
      [
        'Attempt',
        `${Math.min(detail.attempts + (isOpen(detail.status) || detail.status === 'success' || detail.status === 'partial' ? 1 : 0), detail.max_attempts)} of ${detail.max_attempts}`,
      ],
    ];
    if (this.facts.childElementCount !== figures.length) {
      fill(
        this.facts,
        figures.map(([name]) => h('div', {}, h('dt', {}, name), h('dd'))),
      );
    }
    figures.forEach(([name, value], index) => {
      const place = this.facts.children[index].lastChild;
      setText(place, value);
      place.title = `${name}: ${value}`;
    });
  }

  #drawAsks() {
    const pending = this.detail.approvals.filter(({ status }) => status === 'pending');
    fill(
      this.asks,
      pending.map((approval) => this.#ask(approval)),
    );
  }

  #ask(approval) {
    const titles = {
      summary: 'Accept this summary?',
      question: 'The task asks',
      command: 'Allow this command?',
    };
    const correction = h('textarea', {
      rows: '2',
      'aria-label': 'Correction or note',
      placeholder: 'A correction, or a note',
    });
    const decide = (decision) => async () => {
      const text = correction.value.trim();
      await request(`/api/tasks/${encodeURIComponent(approval.task_id)}/approvals`, {
        method: 'POST',
        body: { approval_id: approval.approval_id, decision, ...(text && { text }) },
      });
      say(`Answered: ${decision}`);
    };
    return h(
      'section.ask',
      { 'aria-label': 'Approval' },
      h('h3', {}, icon('question'), titles[approval.kind] ?? 'The task asks'),
      h('pre', { tabindex: '0' }, approval.summary),
      correction,
      h(
        'div.actions',
        {},
        this.#button('Accept', 'primary', decide('accepted')),
        this.#button('Send correction', '', decide('corrected')),
        this.#button('Reject', 'danger', decide('rejected')),
      ),
    );
  }

  #drawOutcome() {
    const { detail } = this;
    const { result } = detail;
    const remaining = Array.isArray(result?.remaining) ? result.remaining : [];
    if (detail.status === 'partial') {
      fill(
        this.outcome,
        h(
          'section.notice.partial',
          { 'aria-label': 'Partial result' },
          h('h3', {}, 'Part of it is done'),
          remaining.length > 0
            ? [
                h('p', {}, 'What remains:'),
                h(
                  'ul',
                  {},
                  remaining.slice(0, 20).map((one) => h('li', {}, String(one))),
                ),
              ]
            : null,
          h('div.actions', {}, this.#followUp()),
        ),
      );
      return;
    }
    const failed = detail.status === 'dead_letter' || (detail.status === 'queued' && detail.error);
    fill(
      this.outcome,
      failed && detail.error
        ? h(
            'section.notice.failed',
            { 'aria-label': 'Failure' },
            h('h3', {}, detail.status === 'queued' ? 'The last attempt failed' : 'Given up'),
            h('pre', { tabindex: '0' }, detail.error),
          )
        : null,
    );
  }

  #followUp() {
    const { detail } = this;
    if (detail.follow_up_task_id)
      return h('a.button.primary', { href: taskHref(detail.follow_up_task_id) }, 'Open the follow-up task');
    if (!detail.has_follow_up) return null;
    return this.#button('Make the follow-up task', 'primary', async () => {
      const task = await request(`/api/tasks/${encodeURIComponent(detail.task_id)}/follow-up`, {
        method: 'POST',
        body: {},
      });
      say('Follow-up task made');
      location.hash = taskHref(task.task_id);
    });
  }

  #createSteering() {
    const problem = h('span.problem', { role: 'alert' });
    this.steerText = h('textarea', {
      rows: '1',
      id: 'steer',
      maxlength: '20000',
      placeholder: 'Say something to the task…',
      onkeydown: (event) => {
        if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
          event.preventDefault();
          form.requestSubmit();
        }
      },
    });
    const form = h(
      'form.steer',
      {
        onsubmit: async (event) => {
          event.preventDefault();
          const text = this.steerText.value.trim();
          if (text === '') return;
          problem.textContent = '';
          try {
            await request(`/api/tasks/${encodeURIComponent(this.taskId)}/steer`, {
              method: 'POST',
              body: { text },
            });
            this.steerText.value = '';
            say('Sent');
          } catch (error) {
            problem.textContent = error.message;
          }
        },
      },
      h('label.unseen', { for: 'steer' }, 'Steer the task'),
      this.steerText,
      h('button', { type: 'submit' }, 'Steer'),
      problem,
    );
    return form;
  }

  #createTabs() {
    this.tabButtons = new Map(
      tabs.map(([name, label]) => [
        name,
        h(
          'button.tab',
          { role: 'tab', id: `tab-${name}`, 'aria-controls': 'panel', onclick: () => this.showTab(name) },
          label,
          h('span.count'),
        ),
      ]),
    );
    return h(
      'div.tabs',
      {
        role: 'tablist',
        'aria-label': 'Parts of the task',
        onkeydown: (event) => {
          const names = tabs.map(([name]) => name);
          const at = names.indexOf(this.tab);
          const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
          if (next === undefined) return;
          event.preventDefault();
          this.showTab(names[(next + names.length) % names.length], true);
        },
      },
      [...this.tabButtons.values()],
    );
  }

  #drawPanel() {
    const { detail, timeline, tab } = this;
    const files = detail.result?.changes?.files?.length ?? 0;
    const summary = (detail.verification_report ?? timeline.report)?.summary;
    const counts = {
      changes: files > 0 ? String(files) : '',
      checks: summary ? `${summary.passed}/${summary.total}` : '',
    };
    for (const [name, button] of this.tabButtons) {
      button.setAttribute('aria-selected', String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
      setText(button.lastChild, counts[name] ?? '');
    }
    this.panel.setAttribute('aria-labelledby', `tab-${tab}`);
    if (tab === 'timeline') {
      if (this.timelineView.element.parentNode !== this.panel) fill(this.panel, this.timelineView.element);
      this.drawn.panel = undefined;
      this.timelineView.live = isOpen(detail.status);
      this.timelineView.draw();
      return;
    }
    const { result, verification_report: report } = detail;
    const draws = {
      plan: [[result?.plan, timeline.plan], () => planPanel(result?.plan ?? timeline.plan)],
      changes: [result?.changes, () => changesPanel(result?.changes)],
      checks: [
        [report, timeline.report, result?.verification_history?.length],
        () => checksPanel(report ?? timeline.report, result),
      ],
      result: [[result, detail.error], () => resultPanel(detail)],
    };
    const [facts, draw] = draws[tab];
    this.#part('panel', [tab, facts], () => fill(this.panel, draw()));
  }
}

export const taskHref = (taskId) => `#/task/${encodeURIComponent(taskId)}`;
const taskLink = (taskId) => h('a', { href: taskHref(taskId) }, taskId);
export const statusBadge = (status) => h(`span.badge.${status}`, {}, statusNames[status] ?? status);
