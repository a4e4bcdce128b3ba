/* Small bar charts: a column per hour or day, in stacked parts, with equivalent text for screen readers. */
import { h } from './dom.js';
/**
 * @typedef {{ kind: string, value: number }} Part
 * @typedef {{ label: string, parts: Part[] }} Column
 * @typedef {{ columns: Column[], names: Record<string, string>, format: (value: number) => string }} Chart
 */

/**
 * Draws a chart. `columns`: `{ label, parts: [{ kind, value }] }` from left to right; `format` formats a value; `names`
 * has the names of the kinds.
 * @param {Chart & { title: string, total: string }} chart
 */
export function drawBarChart({ title, columns, names, format, total }) {
  const sums = columns.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const max = Math.max(...sums, 0);
  const caption = h('figcaption', h('span', title), h('b', total));
  const [first] = columns;
  if (max === 0 || !first) return h('figure.chart', caption, h('p.note', 'Nothing yet.'));
  return h(
    'figure.chart',
    caption,
    h(
      'div.columns',
      { role: 'img', 'aria-label': `${title}: ${total}; highest value ${format(max)}` },
      columns.map((column, index) => drawColumn(column, { sum: sums[index] ?? 0, max, names, format })),
    ),
    h('div.chart-ends', { 'aria-hidden': 'true' }, h('span', first.label), h('span', columns.at(-1)?.label)),
    drawLegend(legendItemsOf({ columns, names, format })),
  );
}

/** Draws a legend of `{ colour, name, text }`. @param {{ colour: string, name: string, text: string }[]} items */
export const drawLegend = (items) =>
  h(
    'ul.legend',
    items.map(({ colour, name, text }) =>
      h('li', h(`span.swatch.${colour}`, { 'aria-hidden': 'true' }), `${name} `, h('b', text)),
    ),
  );

/** @param {Chart} chart */
function legendItemsOf({ columns, names, format }) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { kind, value } of columns.flatMap(({ parts }) => parts)) {
    sums.set(kind, (sums.get(kind) ?? 0) + value);
  }
  return [...sums]
    .filter(([, sum]) => sum > 0)
    .map(([kind, sum]) => ({ colour: `kind-${kind}`, name: names[kind] ?? kind, text: format(sum) }));
}

/** @param {Column} column @param {Omit<Chart, 'columns'> & { sum: number, max: number }} chart */
function drawColumn({ label, parts }, { sum, max, names, format }) {
  const shownParts = parts.filter(({ value }) => value > 0);
  const text = shownParts.map(({ kind, value }) => `${names[kind]} ${format(value)}`).join(', ');
  return h(
    'div.column',
    { title: `${label}: ${text || 'nothing'}` },
    h(
      'div.stack',
      { style: { height: `${(sum / max) * 100}%` } },
      shownParts.map(({ kind, value }) => h(`span.kind-${kind}`, { style: { 'flex-grow': String(value) } })),
    ),
  );
}
