import { cellText } from './cell.js';

/** Rows of objects as a table in text; numbers stand to the right. */
export function formatTable(rows, columns) {
  const widths = columns.map((name) => Math.max(name.length, ...rows.map((row) => cellText(row[name]).length)));
  const line = (cells) => cells.join('  ').trimEnd();
  const head = line(columns.map((name, i) => name.padEnd(widths[i])));
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const body = rows.map((row) => line(columns.map((name, i) => align(row[name], widths[i]))));
  return [head, rule, ...body].join('\n');
}

function align(value, width) {
  const text = cellText(value);
  return typeof value === 'number' ? text.padStart(width) : text.padEnd(width);
}
