import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHistory } from '../src/history.js';
import { close, open, openSessions, userOf } from '../src/session.js';

test('a session', () => {
  assert.deepEqual(open('a', 'Ada'), { user: 'Ada' });
  assert.throws(() => open('a', 'Bo'), /open/);
  assert.equal(userOf('a'), 'Ada');
  assert.equal(close('a'), true);
  assert.equal(openSessions(), 0);
});

test('a history', () => {
  const history = createHistory();
  history.visit('x');
  assert.equal(history.visit('x'), 2);
});
