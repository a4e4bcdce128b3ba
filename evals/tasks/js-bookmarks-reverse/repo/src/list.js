function compare(a, b) {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** The bookmarks as lines of text. The array given is not changed. */
export function listBookmarks(bookmarks, options) {
  const sorted = [...bookmarks].sort((a, b) => compare(a[options.sort], b[options.sort]));
  return sorted.slice(0, options.limit).map((bookmark) => `${bookmark.title} <${bookmark.url}>`);
}
