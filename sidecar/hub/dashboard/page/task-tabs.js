/* The parts of a task that share one place: timeline, plan, changes, checks, result. */
import { changesPanel } from './diff.js';
import { fill, h, setText } from './dom.js';
import { isOpen } from './format.js';
import { records } from './lenient.js';
import { checksPanel, planPanel, resultPanel } from './panels.js';
import { TimelineView } from './timeline-view.js';
import { TimeSharesView } from './time-shares-view.js';

const tabs = [
  ['timeline', 'Timeline'],
  ['plan', 'Plan'],
  ['changes', 'Changes'],
  ['checks', 'Checks'],
  ['result', 'Result'],
];
const names = tabs.map(([name]) => name);

export class TaskTabs {
  constructor(onChosen) {
    this.onChosen = onChosen;
    this.chosen = 'timeline';
    this.timelineView = new TimelineView();
    this.shares = new TimeSharesView();
    this.timelinePanel = h('div.timeline-panel', {}, this.shares.element, this.timelineView.element);
    this.panel = h('div.panel', { role: 'tabpanel', id: 'panel', tabindex: '-1' });
    this.buttons = new Map(tabs.map(([name, label]) => [name, this.#button(name, label)]));
    this.list = h(
      'div.tabs',
      {
        role: 'tablist',
        'aria-label': 'Parts of the task',
        onkeydown: (event) => this.#key(event),
      },
      [...this.buttons.values()],
    );
  }

  /** Another task's timeline, or the same one read anew. */
  show(timeline) {
    this.timelineView.show(timeline);
  }

  choose(name, focus = false) {
    this.chosen = name;
    this.onChosen();
    if (focus) this.buttons.get(name).focus();
  }

  /** `part` draws what is named again where its facts have changed, `forget` makes it draw the next time. */
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

  /** Time goes on for what is running. */
  tick(detail, timeline) {
    if (this.chosen !== 'timeline') return;
    this.shares.draw(detail, timeline, { nowMs: this.timelineView.nowMs, again: true });
    this.timelineView.draw();
  }

  #button(name, label) {
    return h(
      'button.tab',
      { role: 'tab', id: `tab-${name}`, 'aria-controls': 'panel', onclick: () => this.choose(name) },
      label,
      h('span.count'),
    );
  }

  #key(event) {
    const at = names.indexOf(this.chosen);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(names[(next + names.length) % names.length], true);
  }

  #drawButtons(detail, timeline) {
    const files = records(detail.result?.changes?.files).length;
    const summary = (detail.verification_report ?? timeline.report)?.summary;
    const counts = {
      changes: files > 0 ? String(files) : '',
      checks: summary ? `${summary.passed}/${summary.total}` : '',
    };
    for (const [name, button] of this.buttons) {
      button.setAttribute('aria-selected', String(name === this.chosen));
      button.tabIndex = name === this.chosen ? 0 : -1;
      setText(button.lastChild, counts[name] ?? '');
    }
    this.panel.dataset.tab = this.chosen;
    this.panel.setAttribute('aria-labelledby', `tab-${this.chosen}`);
  }
}

/** What the content depends on, and the content. */
function panelOf(name, detail, timeline) {
  const { result, verification_report: report } = detail;
  const panels = {
    plan: [[result?.plan, timeline.plan], () => planPanel(result?.plan ?? timeline.plan)],
    changes: [result?.changes, () => changesPanel(result?.changes)],
    checks: [
      [report, timeline.report, result?.verification_history?.length],
      () => checksPanel(report ?? timeline.report, result),
    ],
    result: [[result, detail.error], () => resultPanel(detail)],
  };
  return panels[name];
}
