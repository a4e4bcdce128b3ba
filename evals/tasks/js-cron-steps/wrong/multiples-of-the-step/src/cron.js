const FIELDS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'weekday', min: 0, max: 6 },
];

/** The values of one part of a field: "*", "5", "8-18", or with a step "8-18/2". */
function parsePart(part, { name, min, max }) {
  const [span, step = '1'] = part.split('/');
  if (!/^[1-9]\d*$/.test(step)) throw new Error(`bad ${name}: ${part}`);
  let from = min;
  let to = max;
  if (span !== '*') {
    const match = /^(\d+)(?:-(\d+))?$/.exec(span);
    if (!match) throw new Error(`bad ${name}: ${part}`);
    from = Number(match[1]);
    to = Number(match[2] ?? match[1]);
    if (from < min || to > max || from > to) throw new Error(`${name} out of range: ${part}`);
  }
  const values = [];
  for (let value = from; value <= to; value += 1) {
    if (span === '*' ? value % Number(step) === 0 : (value - from) % Number(step) === 0) values.push(value);
  }
  return values;
}

/** Reads "0 8-18 * * 1-5": a set of values for each of the five fields. */
export function parseCron(text) {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) throw new Error(`five fields expected: ${text}`);
  return fields.map((field, i) => new Set(field.split(',').flatMap((part) => parsePart(part, FIELDS[i]))));
}
