import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createHistory } from './src/history.js';
import { close, open, openSessions, userOf } from './src/session.js';

test('the adapter is gone', () => {
  assert.equal(existsSync('src/store-adapter.js'), false);
  for (const file of ['src/session.js', 'src/history.js']) {
    const source = readFileSync(file, 'utf8');
    assert.doesNotMatch(source, /adapter|class /i, file);
    assert.match(source, /new Map\(\)/, file);
  }
});

test('sessions as before', () => {
  assert.deepEqual(open('a', 'Ada'), { user: 'Ada' });
  assert.throws(() => open('a', 'Bo'), /session a is open/);
  assert.equal(open('guest', null), undefined);
  assert.equal(openSessions(), 2);
  assert.deepEqual(open('guest', 'Cy'), { user: 'Cy' });
  assert.equal(userOf('guest'), 'Cy');
  assert.equal(close('guest'), true);
  assert.equal(close('guest'), false);
  assert.equal(userOf('guest'), undefined);
});

test('a history as before', () => {
  const history = createHistory();
  assert.equal(history.visit('x'), 1);
  assert.equal(history.visit('x'), 2);
  assert.equal(history.visit('y'), 1);
  assert.equal(history.pages, 2);
  assert.equal(history.forget('x'), true);
  assert.equal(history.pages, 1);
});
