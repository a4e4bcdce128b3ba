import { join } from 'node:path';

export function at(name) {
  return join('/', name);
}
