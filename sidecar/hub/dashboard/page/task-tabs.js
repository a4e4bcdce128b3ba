/* The tabs of a task: timeline, plan, changes, checks, result. */
import { changesPanel } from './diff.js';
import { fill, h, setText } from './dom.js';
import { isOpen } from './format.js';
import { number, records, textOf } from './lenient.js';
import { markdown } from './markdown.js';
import { checksPanel, resultPanel } from './panels.js';
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
      tabs.map(([name, label]) => /** @type {const} */ ([name, this.#button(name, label)])),
    );
    this.list = h(
      'div.tabs',
      {
        role: 'tablist',
        'aria-label': 'Parts of the task',
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
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
   * Draws the chosen tab. `part` redraws a named part if its facts have changed, `forget` makes it redraw the next
   * time.
   * @param {TaskDetail} detail @param {Timeline} timeline @param {{ part: (name: string, facts: unknown, draw: () => void) => void, forget: (name: string) => void }} how
   */
  draw(detail, timeline, { part, forget }) {
    this.#drawButtons(detail, timeline);
    if (this.chosen === 'timeline') {
      if (this.timelinePanel.parentNode !== this.panel) fill(this.panel, this.timelinePanel);
      this.shares.draw(detail, timeline, { nowMs: this.timelineView.nowMs });
      forget('panel');
      this.timelineView.live = isOpen(detail.status);
      this.timelineView.draw();
      return;
    }
    const [facts, content] = panelOf(this.chosen, detail, timeline);
    part('panel', [this.chosen, facts], () => fill(this.panel, content()));
  }

  /** Updates the running times. @param {TaskDetail} detail @param {Timeline} timeline */
  tick(detail, timeline) {
    if (this.chosen !== 'timeline') return;
    this.shares.draw(detail, timeline, { nowMs: this.timelineView.nowMs, again: true });
    this.timelineView.draw();
  }

  /** @param {Tab} name @param {string} label */
  #button(name, label) {
    return h(
      'button.tab',
      { role: 'tab', id: `tab-${name}`, 'aria-controls': 'panel', onclick: () => this.choose(name) },
      label,
      h('span.count'),
    );
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const shown = names.filter((name) => !this.buttons.get(name)?.hidden);
    const at = shown.indexOf(this.chosen);
    /** @type {Record<string, number>} */
    const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: shown.length - 1 };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(shown.at(next % shown.length) ?? 'timeline', true);
  }

  /** Shows the tabs that have content. @param {TaskDetail} detail @param {Timeline} timeline */
  #drawButtons({ result, verification_report: reported }, timeline) {
    const files = records(result?.changes?.files).length;
    const report = reported ?? timeline.checks.report;
    const checks = records(report?.checks).length;
    /** @type {Record<Tab, [isShown: boolean, count: string]>} */
    const facts = {
      timeline: [true, ''],
      plan: [Boolean(result?.plan ?? timeline.plan), ''],
      changes: [files > 0 || /^@@ /m.test(textOf(result?.changes?.patch)), files > 0 ? String(files) : ''],
      checks: [checks > 0, `${number(report?.summary?.passed)}/${number(report?.summary?.total)}`],
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
function panelOf(name, detail, timeline) {
  const { result, verification_report: report } = detail;
  /** @type {Record<Exclude<Tab, 'timeline'>, [facts: unknown[], content: () => HTMLElement]>} */
  const panels = {
    plan: [[result?.plan, timeline.plan], () => markdown(result?.plan ?? timeline.plan)],
    changes: [[result?.changes], () => changesPanel(result?.changes)],
    checks: [
      [report, timeline.checks.report, records(result?.verification_history).length],
      () => checksPanel(report ?? timeline.checks.report, result),
    ],
    result: [[result, detail.error, detail.attempts.length], () => resultPanel(detail)],
  };
  return panels[name];
}
