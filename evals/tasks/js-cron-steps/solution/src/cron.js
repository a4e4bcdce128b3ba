const FIELDS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'weekday', min: 0, max: 6 },
];

/** The values of one part of a field: "*", "5" or "8-18", the first and the last with a step as in "8-18/2". */
function parsePart(part, { name, min, max }) {
  const match = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/([1-9]\d*))?$/.exec(part);
  if (!match) throw new Error(`bad ${name}: ${part}`);
  const [, first, last, step] = match;
  if (step !== undefined && first !== undefined && last === undefined) throw new Error(`bad ${name}: ${part}`);
  const from = Number(first ?? min);
  const to = Number(last ?? first ?? max);
  if (from < min || to > max || from > to) throw new Error(`${name} out of range: ${part}`);
  const values = [];
  for (let value = from; value <= to; value += Number(step ?? 1)) values.push(value);
  return values;
}

/** Reads "0 8-18 * * 1-5": a set of values for each of the five fields. */
export function parseCron(text) {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) throw new Error(`five fields expected: ${text}`);
  return fields.map((field, i) => new Set(field.split(',').flatMap((part) => parsePart(part, FIELDS[i]))));
}
