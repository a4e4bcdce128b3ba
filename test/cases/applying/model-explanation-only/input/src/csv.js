/** Reads comma separated text into rows of cells. Lines that are empty are left out. */
export function parseCsv(text) {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map(parseLine);
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
