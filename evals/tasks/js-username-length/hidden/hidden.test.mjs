import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkForm } from './src/form.js';
import { checkPassword, checkUsername } from './src/rules.js';

const SHORT = 'username needs at least 3 characters';
const LONG = 'username has more than 20 characters';

test('every length', () => {
  for (let n = 1; n < 40; n++) {
    const want = n < 3 ? [SHORT] : n > 20 ? [LONG] : [];
    assert.deepEqual(checkUsername('x'.repeat(n)), want, `length ${n}`);
  }
});

test('the rest is as before', () => {
  assert.deepEqual(checkUsername('a b c'), ['username has characters that are not allowed']);
  assert.deepEqual(checkUsername('root'), ['username is reserved']);
  assert.equal(checkPassword('1234567').length, 1);
  assert.deepEqual(checkPassword('12345678'), []);
  assert.equal(checkForm({ username: ' amy ', password: 'short' }).ok, false);
});
