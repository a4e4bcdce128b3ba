import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { match } from './src/match.js';
import { routes as books } from './src/routes/books.js';
import { routes } from './src/routes/index.js';
import { routes as readers } from './src/routes/readers.js';
import { answer } from './src/server.js';

const names = (list) => list.map(([method, path]) => `${method} ${path}`);

test('where each route is', () => {
  assert.deepEqual(names(books), ['GET /books', 'GET /books/:id', 'DELETE /books/:id']);
  assert.deepEqual(names(readers), ['GET /readers/:id']);
  assert.deepEqual(names(routes), [...names(books), ...names(readers)]);
  assert.equal(existsSync('src/routes.js'), false);
});

test('the answers are as they were', () => {
  assert.deepEqual(match('GET', '/books/9').params, { id: '9' });
  assert.deepEqual(answer('GET', '/books/9'), { status: 404, body: 'no such book' });
  assert.deepEqual(answer('GET', '/readers/1'), { status: 404, body: 'no such reader' });
  assert.equal(answer('DELETE', '/books/2').status, 204);
  assert.deepEqual(answer('GET', '/books'), { status: 200, body: ['Emma'] });
  assert.deepEqual(answer('PUT', '/x'), { status: 404, body: 'no such route' });
});
