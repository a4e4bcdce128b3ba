const books = new Map([['1', 'Emma'], ['2', 'Ulysses']]);
const readers = new Map([['7', 'Ada']]);

const notFound = (what) => ({ status: 404, body: `no such ${what}` });

export const routes = [
  ['GET', '/books', () => ({ status: 200, body: [...books.values()] })],
  ['GET', '/readers/:id', ({ id }) => (readers.has(id) ? { status: 200, body: readers.get(id) } : notFound('reader'))],
  ['GET', '/books/:id', ({ id }) => (books.has(id) ? { status: 200, body: books.get(id) } : notFound('book'))],
  ['DELETE', '/books/:id', ({ id }) => (books.delete(id) ? { status: 204 } : notFound('book'))],
];

/** The first route that fits, with its parameters. */
export function match(method, path) {
  for (const [wanted, pattern, handler] of routes) {
    const names = [];
    const source = pattern.replaceAll(/:(\w+)/g, (_all, name) => {
      names.push(name);
      return '([^/]+)';
    });
    const found = method === wanted && new RegExp(`^${source}$`).exec(path);
    if (found) return { handler, params: Object.fromEntries(names.map((name, index) => [name, found[index + 1]])) };
  }
  return undefined;
}
