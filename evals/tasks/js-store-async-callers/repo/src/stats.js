/** The links with the most hits: [{ code, hits }]. */
export function top(store, count = 3) {
  return store
    .keys('link:')
    .map((key) => ({ code: key.slice('link:'.length), hits: store.get(key).hits }))
    .sort((a, b) => b.hits - a.hits || a.code.localeCompare(b.code))
    .slice(0, count);
}

/** How many links there are that were never followed. */
export function unused(store) {
  return store.keys('link:').filter((key) => store.get(key).hits === 0).length;
}
