export function pluralForm(count) {
  if (count === 1) return 'one';
  const isTeen = count % 100 >= 12 && count % 100 <= 14;
  return !isTeen && count % 10 >= 2 && count % 10 <= 4 ? 'few' : 'many';
}
