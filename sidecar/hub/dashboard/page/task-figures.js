/* The figures of a task; those of a running one run along with its events. */
import { fill, h, setText } from './dom.js';
import { count, duration, isOpen, usd } from './format.js';

/** Writes them into `place`; an element stays while only its value changes. */
export function drawFigures(place, detail, timeline) {
  const figures = figuresOf(detail, timeline);
  if (place.childElementCount !== figures.length) {
    fill(
      place,
      figures.map(([name]) => h('div', {}, h('dt', {}, name), h('dd'))),
    );
  }
  figures.forEach(([name, value], index) => {
    const cell = place.children[index].lastChild;
    setText(cell, value);
    cell.title = `${name}: ${value}`;
  });
}

/** Names and values; the result's own figures take precedence over those of the events. Pure. */
export function figuresOf(detail, timeline) {
  const open = isOpen(detail.status);
  const end = detail.finished_at ?? Date.now();
  const told = !open && detail.tokens_in !== null;
  const tokens = told ? detail.tokens_in + (detail.tokens_out ?? 0) : timeline.tokens;
  const cost = open ? timeline.costUsd : (detail.estimated_cost_usd ?? timeline.costUsd);
  const { drafts, toolCalls, failures } = timeline;
  return [
    ['Worker', detail.worker_id ?? '–'],
    ['Model', detail.model ?? timeline.model ?? '–'],
    ['Time', detail.accepted_at ? duration(end - detail.accepted_at) : '–'],
    ['Iterations', String((told && detail.iterations_used) || timeline.iteration || '–')],
    ...(drafts > 0 ? [['Drafts', String(drafts)]] : []),
    ['Tool calls', failures > 0 ? `${toolCalls} (${failures} failed)` : String(toolCalls)],
    ['Tokens', count(tokens)],
    ['Cost', usd(cost)],
    ['Attempt', attempt(detail)],
  ];
}

function attempt({ status, attempts, max_attempts: most }) {
  const current = isOpen(status) || status === 'success' || status === 'partial' ? 1 : 0;
  return `${Math.min(attempts + current, most)} of ${most}`;
}
