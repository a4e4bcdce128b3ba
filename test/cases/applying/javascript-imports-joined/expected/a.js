import { join, resolve } from 'node:path';
import fs from 'node:fs';

export function at(name) {
  return fs.existsSync(name) ? resolve('/', name) : join('/', name);
}
