import { readFile } from 'node:fs/promises';

export async function load(path) {
  return await readFile(path, 'utf8');
}

export const LIMIT = 5;
