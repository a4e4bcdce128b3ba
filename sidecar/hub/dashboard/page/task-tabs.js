/* The tabs of a task: timeline, plan, changes, checks, result. */
import { renderChanges } from './diff.js';
import { replaceContent, h, setText } from './dom.js';
import { isOpen } from './format.js';
import { numberOf, recordsOf, textOf } from './lenient.js';
import { renderMarkdown } from './markdown.js';
import { renderChecks, renderResult } from './panels.js';
import { TimelineView } from './timeline-view.js';
import { TimeSharesView } from './time-shares-view.js';
/** @import { Timeline } from './timeline-model.js' */
/** @import { TaskDetail } from '../page-types.ts' */
/** @typedef {'timeline' | 'plan' | 'changes' | 'checks' | 'result'} Tab */

/** @type {[name: Tab, label: string][]} */
const tabs = [
  ['timeline', 'Timeline'],
  ['plan', 'Plan'],
  ['changes', 'Changes'],
  ['checks', 'Checks'],
  ['result', 'Result'],
];
const names = tabs.map(([name]) => name);

export class TaskTabs {
  /** @param {() => void} onChosen */
  constructor(onChosen) {
    this.onChosen = onChosen;
    /** @type {Tab} */
    this.chosen = 'timeline';
    this.timelineView = new TimelineView();
    this.shares = new TimeSharesView();
    this.timelinePanel = h('div.timeline-panel', this.shares.element, this.timelineView.element);
    this.panel = h('div.panel', { role: 'tabpanel', id: 'panel', tabindex: '-1' });
    this.buttons = new Map(
      tabs.map(([name, label]) => /** @type {const} */ ([name, this.#createButton(name, label)])),
    );
    this.list = h(
      'div.tabs',
      {
        role: 'tablist',
        'aria-label': 'Parts of the task',
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#onKey(event),
      },
      [...this.buttons.values()],
    );
  }

  /** @param {Tab} name */
  choose(name, focus = false) {
    this.chosen = name;
    this.onChosen();
    if (focus) this.buttons.get(name)?.focus();
  }

  /**
   * Draws the chosen tab. `part` redraws a named part if its facts have changed; `forget` discards these facts, so that
   * the part is redrawn the next time.
   * @param {TaskDetail} detail @param {Timeline} timeline @param {{ part: (name: string, facts: unknown, draw: () => void) => void, forget: (name: string) => void }} how
   */
  draw(detail, timeline, { part, forget }) {
    this.#drawButtons(detail, timeline);
    if (this.chosen === 'timeline') {
      if (this.timelinePanel.parentNode !== this.panel) replaceContent(this.panel, this.timelinePanel);
      this.shares.draw(detail, timeline, { nowMs: this.timelineView.nowMs });
      forget('panel');
      this.timelineView.live = isOpen(detail.status);
      this.timelineView.draw();
      return;
    }
    const [facts, content] = createPanel(this.chosen, detail, timeline);
    part('panel', [this.chosen, facts], () => replaceContent(this.panel, content()));
  }

  /** Updates the times that change while a task runs. @param {TaskDetail} detail @param {Timeline} timeline */
  tick(detail, timeline) {
    if (this.chosen !== 'timeline') return;
    this.shares.draw(detail, timeline, { nowMs: this.timelineView.nowMs, again: true });
    this.timelineView.draw();
  }

  /** @param {Tab} name @param {string} label */
  #createButton(name, label) {
    return h(
      'button.tab',
      { role: 'tab', id: `tab-${name}`, 'aria-controls': 'panel', onclick: () => this.choose(name) },
      label,
      h('span.count'),
    );
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const shownTabs = names.filter((name) => !this.buttons.get(name)?.hidden);
    const index = shownTabs.indexOf(this.chosen);
    /** @type {Record<string, number>} */
    const moves = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: shownTabs.length - 1 };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(shownTabs.at(next % shownTabs.length) ?? 'timeline', true);
  }

  /** Shows the tabs that have content. @param {TaskDetail} detail @param {Timeline} timeline */
  #drawButtons({ result, verification_report: finalReport }, timeline) {
    const files = recordsOf(result?.changes?.files).length;
    const report = finalReport ?? timeline.checks.report;
    const checks = recordsOf(report?.checks).length;
    /** @type {Record<Tab, [isShown: boolean, count: string]>} */
    const facts = {
      timeline: [true, ''],
      plan: [Boolean(result?.plan ?? timeline.plan), ''],
      changes: [files > 0 || /^@@ /m.test(textOf(result?.changes?.patch)), files > 0 ? String(files) : ''],
      checks: [checks > 0, `${numberOf(report?.summary?.passed)}/${numberOf(report?.summary?.total)}`],
      result: [result !== null, ''],
    };
    if (!facts[this.chosen][0]) this.chosen = 'timeline';
    for (const [name, button] of this.buttons) {
      const [isShown, count] = facts[name];
      button.hidden = !isShown;
      button.setAttribute('aria-selected', String(name === this.chosen));
      button.tabIndex = name === this.chosen ? 0 : -1;
      if (button.lastElementChild) setText(button.lastElementChild, count);
    }
    this.list.hidden = Object.values(facts).every(([isShown], index) => index === 0 || !isShown);
    this.panel.dataset.tab = this.chosen;
    this.panel.setAttribute('aria-labelledby', `tab-${this.chosen}`);
  }
}

/**
 * Returns the facts that a panel depends on, and a function that renders it.
 * @param {Exclude<Tab, 'timeline'>} name @param {TaskDetail} detail @param {Timeline} timeline
 */
function createPanel(name, detail, timeline) {
  const { result, verification_report: report } = detail;
  /** @type {Record<Exclude<Tab, 'timeline'>, [facts: unknown[], content: () => HTMLElement]>} */
  const panels = {
    plan: [[result?.plan, timeline.plan], () => renderMarkdown(result?.plan ?? timeline.plan)],
    changes: [[result?.changes], () => renderChanges(result?.changes)],
    checks: [
      [report, timeline.checks.report, recordsOf(result?.verification_history).length],
      () => renderChecks(report ?? timeline.checks.report, result),
    ],
    result: [[result, detail.error, detail.attempts.length], () => renderResult(detail)],
  };
  return panels[name];
}
