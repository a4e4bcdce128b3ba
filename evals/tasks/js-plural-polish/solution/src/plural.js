/** The plural form of a count in a language. */
export function pluralForm(count, language = 'en') {
  if (count === 1) return 'one';
  if (language !== 'pl') return 'other';
  const isTeen = count % 100 >= 12 && count % 100 <= 14;
  return !isTeen && count % 10 >= 2 && count % 10 <= 4 ? 'few' : 'many';
}
