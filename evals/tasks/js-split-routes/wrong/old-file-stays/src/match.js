import { routes } from './routes/index.js';

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
