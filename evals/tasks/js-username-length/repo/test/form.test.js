import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkForm } from '../src/form.js';
import { checkUsername } from '../src/rules.js';

test('a short username is fine', () => {
  assert.deepEqual(checkForm({ username: 'amy', password: 'correct horse' }), { ok: true, problems: [] });
});

test('too short', () => {
  assert.deepEqual(checkUsername('al'), ['username needs at least 3 characters']);
});

test('too long', () => {
  assert.deepEqual(checkUsername('a'.repeat(30)), ['username has more than 20 characters']);
});

test('reserved', () => {
  assert.deepEqual(checkUsername('Admin'), ['username is reserved']);
});
