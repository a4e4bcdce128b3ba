import assert from 'node:assert/strict';
import { test } from 'node:test';
import { match } from '../src/match.js';
import { answer } from '../src/server.js';

test('a book and a reader', () => {
  assert.deepEqual(answer('GET', '/books/1'), { status: 200, body: 'Emma' });
  assert.deepEqual(answer('GET', '/readers/7'), { status: 200, body: 'Ada' });
  assert.equal(match('POST', '/books'), undefined);
});
