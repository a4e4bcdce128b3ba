/* Small bar charts: a column for each hour or day, in stacked parts. Text says the same for who does not see them. */
import { h } from './dom.js';

/**
 * `columns`: `{ label, parts: [{ kind, value }] }` from left to right. `format` writes a value, `names` has those of the
 * kinds.
 */
export function barChart({ title, columns, names, format, total }) {
  const sums = columns.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const most = Math.max(...sums, 0);
  const caption = h('figcaption', {}, h('span', {}, title), h('b', {}, total));
  if (most === 0) return h('figure.chart', {}, caption, h('p.note', {}, 'Nothing yet.'));
  return h(
    'figure.chart',
    {},
    caption,
    h(
      'div.columns',
      { role: 'img', 'aria-label': `${title}: ${total}; at most ${format(most)}` },
      columns.map((column, index) => columnOf(column, { sum: sums[index], most, names, format })),
    ),
    h(
      'div.chart-ends',
      { 'aria-hidden': 'true' },
      h('span', {}, columns[0].label),
      h('span', {}, columns.at(-1).label),
    ),
    legend(partsOf({ columns, names, format })),
  );
}

/** What each colour stands for, and how much of it there is: `{ colour, name, text }`. */
export const legend = (items) =>
  h(
    'ul.legend',
    {},
    items.map(({ colour, name, text }) =>
      h('li', {}, h(`span.swatch.${colour}`, { 'aria-hidden': 'true' }), `${name} `, h('b', {}, text)),
    ),
  );

function partsOf({ columns, names, format }) {
  const sums = new Map();
  for (const { kind, value } of columns.flatMap(({ parts }) => parts)) {
    sums.set(kind, (sums.get(kind) ?? 0) + value);
  }
  return [...sums]
    .filter(([, sum]) => sum > 0)
    .map(([kind, sum]) => ({ colour: `kind-${kind}`, name: names[kind], text: format(sum) }));
}

function columnOf({ label, parts }, { sum, most, names, format }) {
  const shown = parts.filter(({ value }) => value > 0);
  const told = shown.map(({ kind, value }) => `${names[kind]} ${format(value)}`).join(', ');
  return h(
    'div.column',
    { title: `${label}: ${told || 'nothing'}` },
    h(
      'div.stack',
      { style: { height: `${(sum / most) * 100}%` } },
      shown.map(({ kind, value }) => h(`span.kind-${kind}`, { style: { 'flex-grow': String(value) } })),
    ),
  );
}
