export function pages(count, size) {
  const all = Math.floor(count / size);
  return all;
}
