/** The plural form of a count. */
export function pluralForm(count) {
  return count === 1 ? 'one' : 'other';
}
