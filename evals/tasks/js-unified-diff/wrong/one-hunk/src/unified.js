import { lineEdits } from './edits.js';
import { splitLines } from './lines.js';

const SIGNS = { keep: ' ', remove: '-', add: '+' };

/** A diff of two texts. */
export function unifiedDiff(before, after, { from = 'a', to = 'b' } = {}) {
  const edits = lineEdits(splitLines(before), splitLines(after));
  const first = edits.findIndex(({ type }) => type !== 'keep');
  if (first === -1) return '';
  const last = edits.findLastIndex(({ type }) => type !== 'keep');
  const start = Math.max(0, first - 3);
  const part = edits.slice(start, last + 4);
  const lines = part.map(({ type, line }) => SIGNS[type] + line);
  const removed = part.filter(({ type }) => type !== 'add').length;
  const added = part.filter(({ type }) => type !== 'remove').length;
  return [`--- ${from}`, `+++ ${to}`, `@@ -${start + 1},${removed} +${start + 1},${added} @@`, ...lines, ''].join('\n');
}
