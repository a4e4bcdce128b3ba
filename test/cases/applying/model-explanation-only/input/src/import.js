import { parseCsv } from './csv.js';

/** Objects from text whose first row names the columns. Missing cells are empty. */
export function importRecords(text) {
  const [head, ...rows] = parseCsv(text);
  if (!head) return [];
  const names = head.map((name) => name.trim().toLowerCase());
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? ''])));
}
