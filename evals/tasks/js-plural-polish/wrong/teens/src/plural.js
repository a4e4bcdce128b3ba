export function pluralForm(count, language = 'en') {
  if (count === 1) return 'one';
  if (language !== 'pl') return 'other';
  return count >= 2 && count <= 4 ? 'few' : 'many';
}
