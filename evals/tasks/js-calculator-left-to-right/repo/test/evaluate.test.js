'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { evaluate } = require('../src/evaluate.js');

test('what goes first', () => {
  assert.equal(evaluate('2 + 3 * 4'), 14);
  assert.equal(evaluate('2 * (3 + 4)'), 14);
  assert.equal(evaluate('2 * 3 ^ 2'), 18);
  assert.equal(evaluate('-2 ^ 2'), -4);
});

test('several minus', () => {
  assert.equal(evaluate('10 - 3 - 2'), 5);
  assert.equal(evaluate('20 - 5 + 1'), 16);
});

test('mistakes', () => {
  assert.throws(() => evaluate('2 +'), SyntaxError);
  assert.throws(() => evaluate('(2'), SyntaxError);
});
