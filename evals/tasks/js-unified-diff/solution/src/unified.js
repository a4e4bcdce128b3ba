import { lineEdits } from './edits.js';
import { splitLines } from './lines.js';

const SIGNS = { keep: ' ', remove: '-', add: '+' };

const CONTEXT = 3;

/** A unified diff of two texts; empty when they are equal. */
export function unifiedDiff(before, after, { from = 'a', to = 'b' } = {}) {
  const edits = lineEdits(splitLines(before), splitLines(after));
  const ranges = hunkRanges(edits);
  if (ranges.length === 0) return '';
  return [`--- ${from}`, `+++ ${to}`, ...ranges.flatMap((range) => hunk(edits, range)), ''].join('\n');
}

/** From and to (exclusive) of each hunk among the edits. */
function hunkRanges(edits) {
  const ranges = [];
  for (const [at, { type }] of edits.entries()) {
    if (type === 'keep') continue;
    const start = Math.max(0, at - CONTEXT);
    const end = Math.min(edits.length, at + CONTEXT + 1);
    const last = ranges.at(-1);
    if (last && start <= last.end) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

function hunk(edits, { start, end }) {
  const inside = edits.slice(start, end);
  const side = (other) => {
    const count = inside.filter(({ type }) => type !== other).length;
    const above = edits.slice(0, start).filter(({ type }) => type !== other).length;
    return `${count === 0 ? above : above + 1},${count}`;
  };
  return [`@@ -${side('add')} +${side('remove')} @@`, ...inside.map(({ type, line }) => SIGNS[type] + line)];
}
