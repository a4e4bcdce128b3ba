function decode(text) {
  return decodeURIComponent(text.replace(/\+/g, ' '));
}

/** The parts of a query such as "q=tea&page=2", as an object. The last of several values wins. */
export function parseQuery(query) {
  const result = {};
  for (const pair of query.replace(/^\?/, '').split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    if (at === -1) {
      result[decode(pair)] = '';
    } else {
      result[decode(pair.slice(0, at))] = decode(pair.slice(at + 1));
    }
  }
  return result;
}

/** The reverse of parseQuery. */
export function formatQuery(values) {
  return Object.entries(values)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
}
