import { pager } from './pager.js';

/** Links under a list: first, previous, next and last, those that make sense. */
export function pageLinks(base, count, options) {
  const { page, pages, hasPrevious, hasNext } = pager(count, options);
  const links = {};
  const to = (number) => `${base}?page=${number}`;
  if (hasPrevious) {
    links.first = to(1);
    links.previous = to(page - 1);
  }
  if (hasNext) {
    links.next = to(page + 1);
    links.last = to(pages);
  }
  return links;
}
