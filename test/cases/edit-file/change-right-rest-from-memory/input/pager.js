export function pager(count, perPage) {
  const pages = Math.max(1, Math.floor(count / perPage));
  return pages;
}
