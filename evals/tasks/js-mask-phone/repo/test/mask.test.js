import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskEmail, maskName, writeLine } from '../src/index.js';

test('email', () => {
  assert.equal(maskEmail('ann@example.org'), 'a**@example.org');
  assert.equal(maskEmail('nothing'), 'nothing');
});

test('name', () => {
  assert.equal(maskName('Ann  Lee'), 'A. L.');
});

test('log', () => {
  assert.equal(writeLine('login', { name: 'Bo Day', email: 'bo@x.org' }), 'login: B. D. <b*@x.org>');
});
