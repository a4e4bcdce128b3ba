import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as index from './src/index.js';
import { maskPhone } from './src/mask.js';

const WANT = [
  ['555-123-4567', '***-***-4567'],
  ['55 12 34', '** 12 34'],
  ['5551234567', '******4567'],
  ['+49 (171) 555 66 77', '+** (***) *** 66 77'],
  ['0171/5 5 5 5', '****/5 5 5 5'],
  ['12345', '*2345'],
  ['12-34', '12-34'],
  ['123', '123'],
  ['', ''],
];

test('all but the last four digits', () => {
  for (const [phone, masked] of WANT) assert.equal(maskPhone(phone), masked);
});

test('exported, and the rest too', () => {
  assert.equal(index.maskPhone('555-123-4567'), '***-***-4567');
  assert.equal(index.maskEmail('bob@x.org'), 'b**@x.org');
  assert.equal(index.maskName('Ann Lee'), 'A. L.');
  assert.equal(index.writeLine('x', { name: 'A B', email: 'a@b.c' }), 'x: A. B. <a@b.c>');
});
