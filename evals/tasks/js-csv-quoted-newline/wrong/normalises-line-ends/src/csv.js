/** Reads comma separated text into rows of cells. Lines that are empty are left out. */
export function parseCsv(text) {
  const rows = [];
  for (const line of text.split(/\r?\n/)) {
    const last = rows.at(-1);
    if (last !== undefined && (last.split('"').length - 1) % 2 === 1) rows[rows.length - 1] = `${last}\n${line}`;
    else rows.push(line);
  }
  return rows.filter((line) => line !== '').map(parseLine);
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
