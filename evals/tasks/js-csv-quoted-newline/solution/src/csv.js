/** Reads comma separated text into rows of cells. Lines that are empty are left out. */
export function parseCsv(text) {
  return splitRows(text)
    .filter((line) => line !== '')
    .map(parseLine);
}

/** Splits at line ends that are outside of quotes. */
function splitRows(text) {
  const rows = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    if (text[i] === '"') quoted = !quoted;
    if (text[i] !== '\n' || quoted) continue;
    rows.push(text.slice(start, text[i - 1] === '\r' ? i - 1 : i));
    start = i + 1;
  }
  rows.push(text.slice(start));
  return rows;
}

function parseLine(line) {
  const cells = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < line.length; i += 1) {
    const sign = line[i];
    if (quoted) {
      if (sign === '"' && line[i + 1] === '"') {
        cell += '"';
        i += 1;
      } else if (sign === '"') quoted = false;
      else cell += sign;
    } else if (sign === '"') quoted = true;
    else if (sign === ',') {
      cells.push(cell);
      cell = '';
    } else cell += sign;
  }
  cells.push(cell);
  return cells;
}
