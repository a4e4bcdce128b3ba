/** Each link with its hits. */
async function readLinks(store) {
  const keys = await store.keys('link:');
  return Promise.all(keys.map(async (key) => ({ code: key.slice('link:'.length), hits: (await store.get(key)).hits })));
}

/** The links with the most hits: [{ code, hits }]. */
export async function top(store, count = 3) {
  const links = await readLinks(store);
  return links.sort((a, b) => b.hits - a.hits || a.code.localeCompare(b.code)).slice(0, count);
}

/** How many links there are that were never followed. */
export async function unused(store) {
  return (await readLinks(store)).filter(({ hits }) => hits === 0).length;
}
