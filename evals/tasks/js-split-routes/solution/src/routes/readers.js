import { notFound } from '../not-found.js';

const readers = new Map([['7', 'Ada']]);

export const routes = [
  ['GET', '/readers/:id', ({ id }) => (readers.has(id) ? { status: 200, body: readers.get(id) } : notFound('reader'))],
];
