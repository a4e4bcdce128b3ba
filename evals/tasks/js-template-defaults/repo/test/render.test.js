import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMail } from '../src/mail.js';
import { render } from '../src/render.js';

test('values', () => {
  assert.equal(render('{{a}} and {{ b }}', { a: 1, b: 'x' }), '1 and x');
  assert.throws(() => render('{{a}}', {}), /missing value: a/);
});

test('defaults', () => {
  assert.equal(render('Hello {{name|friend}}!', {}), 'Hello friend!');
  assert.equal(render('Hello {{name|friend}}!', { name: 'Ida' }), 'Hello Ida!');
  assert.equal(render('{{count|many}} parcels', { count: 0 }), '0 parcels');
});

test('a default of several words', () => {
  assert.equal(createMail('shipped', { order: 7, count: 2 }).text, '2 parcels, by our own van.');
});
