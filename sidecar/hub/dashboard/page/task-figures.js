/* The figures of a task; a running task's are updated by its events. */
import { replaceContent, h, setText } from './dom.js';
import { formatCount, formatDuration, isOpen, formatUsd } from './format.js';
/** @import { TaskDetail } from '../page-types.ts' */
/** @import { Timeline } from './timeline-model.js' */

/**
 * Renders the figures into `place`; reuses elements while only values change.
 * @param {Element} place @param {TaskDetail} detail @param {Timeline} timeline
 */
export function drawFigures(place, detail, timeline) {
  const figures = taskFiguresOf(detail, timeline).filter(([, value]) => value !== '–');
  const names = String(figures.map(([name]) => name));
  if (place.getAttribute('data-names') !== names) {
    place.setAttribute('data-names', names);
    replaceContent(
      place,
      figures.map(([name]) => h('div', { 'data-name': name }, h('dt', name), h('dd'))),
    );
  }
  figures.forEach(([name, value], index) => {
    const cell = place.children[index]?.lastElementChild;
    if (!cell) return;
    setText(cell, value);
    cell.setAttribute('title', `${name}: ${value}`);
  });
}

/**
 * Returns names and values over all attempts. The hub's sums take precedence over sums of the shown events. Pure.
 * @param {TaskDetail} detail @param {Timeline} timeline @returns {[name: string, value: string][]}
 */
export function taskFiguresOf(detail, timeline) {
  const isTaskOpen = isOpen(detail.status);
  const { accepted_at: accepted, worked_ms: worked } = detail;
  const runMs = worked + (isTaskOpen && accepted ? Date.now() - accepted : 0);
  const reportedTokensIn = isTaskOpen ? null : detail.tokens_in;
  const tokens =
    reportedTokensIn === null ? timeline.figures.tokens : reportedTokensIn + (detail.tokens_out ?? 0);
  const { drafts, toolCalls, failures, costUsd, model, iteration } = timeline.figures;
  const cost = isTaskOpen ? costUsd : (detail.estimated_cost_usd ?? costUsd);
  return [
    ['Worker', detail.worker_id ?? '–'],
    ['Model', detail.model ?? model ?? '–'],
    ['Time', runMs > 0 || accepted ? formatDuration(runMs) : '–'],
    ['Iterations', String((reportedTokensIn !== null && detail.iterations_used) || iteration || '–')],
    ...(drafts > 0 ? [/** @type {[string, string]} */ (['Drafts', String(drafts)])] : []),
    ['Tool calls', failures > 0 ? `${toolCalls} (${failures} failed)` : String(toolCalls)],
    ['Tokens', formatCount(tokens)],
    ['Cost', formatUsd(cost)],
    ['Attempt', formatAttempt(detail)],
    ['Submitted by', detail.submitted_by],
  ];
}

/** @param {TaskDetail} detail */
function formatAttempt({ status, failures, max_attempts: max }) {
  const current = isOpen(status) || status === 'success' || status === 'partial' ? 1 : 0;
  return `${Math.min(failures + current, max)} of ${max}`;
}
