/* One task: head, figures, requests, outcome and tabs, each in a file of its own. Parts are redrawn only when they change. */
import { request, ignoreRefusal } from './api.js';
import { replaceContent, h, limitToFrames, announce } from './dom.js';
import { isOpen, statusNameOf } from './format.js';
import { hasRole, currentRole } from './me.js';
import { SteerBox } from './steer-box.js';
import { renderRequests } from './task-asks.js';
import { TaskChain } from './task-chain.js';
import { drawFigures } from './task-figures.js';
import { renderMissingHead, renderHead } from './task-head.js';
import { formatTaskPath } from './task-link.js';
import { renderTaskOutcome } from './task-outcome.js';
import { TaskTabs } from './task-tabs.js';
import { Timeline } from './timeline-model.js';
/** @import { Approval, HubEvent, RequestError, TaskChange, TaskDetail } from '../page-types.ts' */

export class TaskView {
  /** @param {{ onBack: () => void, onAgain: (detail: TaskDetail) => void }} how */
  constructor({ onBack, onAgain }) {
    this.onBack = onBack;
    this.onAgain = onAgain;
    /** @type {string | undefined} */
    this.taskId = undefined;
    /** @type {TaskDetail | undefined} */
    this.detail = undefined;
    /** @type {RequestError | undefined} */
    this.error = undefined;
    /** @type {Record<string, string | undefined>} */
    this.drawn = {};
    this.timeline = new Timeline();
    this.head = h('header.task-head');
    this.chain = new TaskChain();
    this.facts = h('dl.figures');
    this.asks = h('div.ask-boxes');
    this.outcome = h('div.outcome-box');
    this.steerBox = new SteerBox(() => this.taskId);
    this.tabs = new TaskTabs(() => this.draw());
    this.element = h(
      'article.task',
      { 'aria-label': 'Task' },
      this.head,
      this.chain.element,
      this.facts,
      this.outcome,
      this.tabs.list,
      this.tabs.panel,
      h('footer.task-foot', this.asks, this.steerBox.element),
    );
    this.draw = limitToFrames(() => this.#draw());
  }

  /** Shows another task; `addEvent` then adds its history. @param {string} taskId */
  open(taskId) {
    this.taskId = taskId;
    this.detail = undefined;
    this.error = undefined;
    this.drawn = {};
    this.steerBox.clear();
    this.#resetTimeline();
    this.tabs.choose('timeline');
  }

  /** @param {TaskDetail | undefined} detail @param {{ fresh?: boolean, error?: RequestError }} [how] */
  setDetail(detail, { fresh, error } = {}) {
    if (fresh) this.#resetTimeline();
    this.detail = detail;
    this.error = error;
    this.timeline.attempts.setKnown(detail?.attempts ?? []);
    this.draw();
  }

  /** Adds a stored event of this task, in order. @param {HubEvent} event */
  addEvent(event) {
    this.timeline.add(event);
    if (event.kind === 'task') this.#onStateChange(event.body);
    if (event.kind === 'approval') this.#onApproval(event.body);
    this.draw();
  }

  tick() {
    if (!this.detail || !isOpen(this.detail.status)) return;
    drawFigures(this.facts, this.detail, this.timeline);
    this.tabs.tick(this.detail, this.timeline);
  }

  #resetTimeline() {
    this.timeline = new Timeline();
    this.tabs.timelineView.show(this.timeline);
  }

  /** @param {TaskChange} summary */
  #onStateChange(summary) {
    if (!this.detail) return;
    const { reason, ...rest } = summary;
    if (rest.updated_at < this.detail.updated_at) return;
    const hasEnded = isOpen(this.detail.status) && !isOpen(rest.status);
    this.detail = { ...this.detail, ...rest };
    if (hasEnded) announce(`Task ended: ${statusNameOf(rest)}`);
    // The event contains no result, no attempts, and no reason why a queued task waits.
    if (['assigned', 'completed', 'dead_letter', 'retry', 'figures'].includes(reason)) void this.#reload();
  }

  /** @param {Approval} approval */
  #onApproval(approval) {
    if (!this.detail) return;
    const others = this.detail.approvals.filter((one) => one.approval_id !== approval.approval_id);
    if (approval.status === 'pending') announce('The task asks for an answer');
    this.detail = { ...this.detail, approvals: [...others, approval] };
  }

  async #reload() {
    const { taskId } = this;
    if (taskId === undefined) return;
    // If the hub is unreachable, the stream reconnects and reads the task again.
    const detail = await ignoreRefusal(request(formatTaskPath(taskId)));
    if (detail && taskId === this.taskId) this.setDetail(detail);
  }

  #draw() {
    const { detail, error, timeline } = this;
    this.element.classList.toggle('loading', !detail && !error);
    this.element.setAttribute('aria-busy', String(!detail && !error));
    const { list, panel } = this.tabs;
    for (const part of [this.chain.element, this.facts, this.asks, this.outcome, list, panel])
      part.hidden = !detail;
    this.steerBox.element.hidden = !detail || !isOpen(detail.status) || !hasRole('submitter');
    if (!detail) {
      this.drawn = {};
      replaceContent(this.head, renderMissingHead(error, this.onBack));
      return;
    }
    const { status, follow_up_task_id: followUpId } = detail;
    const role = currentRole();
    this.#drawPart('head', [role, detail.title, status, detail.on_hold, detail.waiting_for, followUpId], () =>
      replaceContent(this.head, renderHead(detail, { onBack: this.onBack, onAgain: this.onAgain })),
    );
    void this.chain.draw(detail);
    drawFigures(this.facts, detail, timeline);
    this.#drawPart('asks', [role, detail.approvals], () => replaceContent(this.asks, renderRequests(detail)));
    const { held } = timeline;
    this.#drawPart('outcome', [role, status, detail.error, detail.result !== null, followUpId, held], () =>
      replaceContent(this.outcome, renderTaskOutcome(detail, held)),
    );
    this.tabs.draw(detail, timeline, {
      part: (name, facts, draw) => this.#drawPart(name, facts, draw),
      forget: (name) => delete this.drawn[name],
    });
  }

  /**
   * Redraws a part of the page only if its facts have changed, so that a half-typed answer survives.
   * @param {string} name @param {unknown} facts @param {() => void} draw
   */
  #drawPart(name, facts, draw) {
    const content = JSON.stringify(facts);
    if (this.drawn[name] === content) return;
    this.drawn[name] = content;
    draw();
  }
}
