import { lineEdits } from './edits.js';
import { splitLines } from './lines.js';

/** "2 added, 1 removed", or "no difference". */
export function summary(before, after) {
  const edits = lineEdits(splitLines(before), splitLines(after));
  const count = (type) => edits.filter((edit) => edit.type === type).length;
  if (count('add') + count('remove') === 0) return 'no difference';
  return `${count('add')} added, ${count('remove')} removed`;
}
