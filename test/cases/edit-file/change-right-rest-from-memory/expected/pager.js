export function pager(count, perPage) {
  const pages = Math.max(1, Math.ceil(count / perPage));
  return pages;
}
