/**
 * What a page of a list needs: page (from 1), pages, from and to (numbers of the first and last
 * item shown, 0 and 0 when there is none), and whether there is one before and after it.
 */
export function pager(count, { page = 1, perPage = 20 } = {}) {
  if (!Number.isInteger(perPage) || perPage < 1) throw new RangeError('perPage must be at least 1');
  const pages = Math.max(1, Math.floor(count / perPage));
  const current = Math.min(Math.max(1, page), pages);
  const from = count === 0 ? 0 : (current - 1) * perPage + 1;
  const to = Math.min(count, current * perPage);
  return { page: current, pages, from, to, hasPrevious: current > 1, hasNext: current < pages };
}

/** The items of one page. */
export function slicePage(items, options) {
  const { from, to } = pager(items.length, options);
  return from === 0 ? [] : items.slice(from - 1, to);
}
