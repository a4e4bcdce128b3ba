/**
 * The way from one list of lines to another: [{ type: 'keep' | 'remove' | 'add', line }].
 * As many lines as possible are kept; removals stand before additions.
 */
export function lineEdits(before, after) {
  const table = Array.from({ length: before.length + 1 }, () => new Array(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      table[i][j] = before[i] === after[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  const edits = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      edits.push({ type: 'keep', line: before[i] });
      i += 1;
      j += 1;
    } else if (j === after.length || (i < before.length && table[i + 1][j] >= table[i][j + 1])) {
      edits.push({ type: 'remove', line: before[i] });
      i += 1;
    } else {
      edits.push({ type: 'add', line: after[j] });
      j += 1;
    }
  }
  return edits;
}
