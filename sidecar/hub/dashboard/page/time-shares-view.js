/* The bar of a task's time shares, with its legend. */
import { drawLegend } from './charts.js';
import { replaceContent, h } from './dom.js';
import { formatDuration, isOpen } from './format.js';
import { shareNames, computeTimeShares } from './time-shares.js';
/** @import { Timeline } from './timeline-model.js' */
/** @import { TaskDetail } from '../page-types.ts' */

export class TimeSharesView {
  constructor() {
    this.drawnState = '';
    this.element = h('section.shares', { 'aria-label': 'Where the time went' });
  }

  /**
   * Draws the shares of the last attempt. `nowMs`: current time of the timeline. The shares of a running task are
   * recalculated only at a tick (`again`), since thousands of rows take some milliseconds.
   * @param {TaskDetail} detail @param {Timeline} timeline @param {{ nowMs: number | undefined, again?: boolean }} how
   */
  draw(detail, timeline, { nowMs, again = false }) {
    const live = isOpen(detail.status);
    const state = `${detail.task_id} ${detail.status} ${live ? timeline.rows.length === 0 : timeline.rows.length}`;
    if (!again && state === this.drawnState) return;
    this.drawnState = state;
    const { created_at: created, accepted_at: accepted, finished_at: finished } = detail;
    if (!accepted || timeline.rows.length === 0) {
      replaceContent(this.element);
      return;
    }
    const isFirst = timeline.attempts.list.length < 2;
    const shares = computeTimeShares(timeline.rows.slice(timeline.attempts.from), nowMs ?? timeline.lastMs, {
      wholeMs: (finished ?? Date.now()) - accepted,
      queueMs: isFirst ? Math.max(0, accepted - Math.max(created, detail.not_before ?? 0)) : 0,
    });
    replaceContent(
      this.element,
      h(
        'div.shares-bar',
        { 'aria-hidden': 'true' },
        shares.map(({ kind, ms }) => h(`span.of-${kind}`, { style: { 'flex-grow': String(ms) } })),
      ),
      drawLegend(
        shares.map(({ kind, ms }) => ({
          colour: `of-${kind}`,
          name: shareNames[kind],
          text: formatDuration(ms),
        })),
      ),
    );
  }
}
