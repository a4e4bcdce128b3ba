import { notFound } from '../not-found.js';

const books = new Map([['1', 'Emma'], ['2', 'Ulysses']]);

export const routes = [
  ['GET', '/books', () => ({ status: 200, body: [...books.values()] })],
  ['GET', '/books/:id', ({ id }) => (books.has(id) ? { status: 200, body: books.get(id) } : notFound('book'))],
  ['DELETE', '/books/:id', ({ id }) => (books.delete(id) ? { status: 204 } : notFound('book'))],
];
