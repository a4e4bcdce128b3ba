/** The text of a cell. Numbers have at most two decimals. */
export function cellText(value) {
  if (!value) return '';
  if (typeof value === 'number') return String(Math.round(value * 100) / 100);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value;
}
