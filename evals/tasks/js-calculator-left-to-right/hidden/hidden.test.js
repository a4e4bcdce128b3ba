'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { test } = require('node:test');
const { evaluate } = require('./src/evaluate.js');

test('from left to right', () => {
  assert.equal(evaluate('10 - 3 - 2'), 5);
  assert.equal(evaluate('1 - 2 + 3 - 4 + 5'), 3);
  assert.equal(evaluate('100 / 10 / 5'), 2);
  assert.equal(evaluate('12 / 3 * 2'), 8);
  assert.equal(evaluate('2 * 9 / 3 / 2 * 5'), 15);
  assert.equal(evaluate('20 - 8 / 2 / 2 - 1'), 17);
  assert.equal(evaluate('(10 - 3 - 2) - (4 - 1 - 1)'), 3);
  assert.equal(evaluate('5 - -3 - 1'), 7);
});

test('the rest as before', () => {
  assert.equal(evaluate('2 ^ 3 ^ 2'), 512);
  assert.equal(evaluate('2 ^ -1'), 0.5);
  assert.equal(evaluate('-2 ^ 2'), -4);
  assert.equal(evaluate('1 + 2 * 3 - 4 / 2'), 5);
  assert.equal(evaluate('7'), 7);
  for (const bad of ['', '2 +', '2 -', '6 /', '(2', '2)', '2 3', 'x']) assert.throws(() => evaluate(bad), SyntaxError, bad);
});

test('the command', () => {
  const run = (text) => spawnSync(process.execPath, ['calc.js', text], { encoding: 'utf8' });
  assert.equal(run('10 - 3 - 2').stdout, '5\n');
  assert.equal(run('10 - ').status, 1);
});
