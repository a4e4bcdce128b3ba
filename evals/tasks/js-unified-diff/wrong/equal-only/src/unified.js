import { lineEdits } from './edits.js';
import { splitLines } from './lines.js';

const SIGNS = { keep: ' ', remove: '-', add: '+' };

/** A diff of two texts. */
export function unifiedDiff(before, after, { from = 'a', to = 'b' } = {}) {
  const edits = lineEdits(splitLines(before), splitLines(after));
  if (before === after) return '';
  const lines = edits.map(({ type, line }) => SIGNS[type] + line);
  return [`--- ${from}`, `+++ ${to}`, ...lines, ''].join('\n');
}
