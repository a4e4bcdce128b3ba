import { match } from './match.js';

export function answer(method, path) {
  const found = match(method, path);
  return found ? found.handler(found.params) : { status: 404, body: 'no such route' };
}
