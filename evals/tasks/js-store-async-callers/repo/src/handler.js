import { Links } from './links.js';
import { top } from './stats.js';

/** Answers requests: { method, path, body } to { status, body, location }. */
export function createHandler(store) {
  const links = new Links(store);
  return function handle({ method, path, body }) {
    try {
      if (method === 'POST' && path === '/links') return { status: 201, body: links.create(body) };
      if (method === 'GET' && path === '/top') return { status: 200, body: top(store) };
      const code = path.slice(1);
      if (method === 'DELETE') return { status: links.remove(code) ? 204 : 404 };
      const target = links.follow(code);
      return target ? { status: 302, location: target } : { status: 404 };
    } catch (error) {
      return { status: 400, body: error.message };
    }
  };
}
