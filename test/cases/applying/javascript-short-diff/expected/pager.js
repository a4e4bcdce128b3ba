export function pages(count, size) {
  const all = Math.ceil(count / size);
  return all;
}
