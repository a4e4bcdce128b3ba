import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMail } from './src/mail.js';
import { render } from './src/render.js';

test('missing is undefined or null only', () => {
  assert.equal(render('[{{a|x}}]', { a: null }), '[x]');
  assert.equal(render('[{{a|x}}]', { a: undefined }), '[x]');
  assert.equal(render('[{{a|x}}]', { a: '' }), '[]');
  assert.equal(render('[{{a|x}}]', { a: 0 }), '[0]');
});

test('words, spaces and the empty default', () => {
  assert.equal(render('{{name|dear customer}}, hi', {}), 'dear customer, hi');
  assert.equal(render('[{{ name | dear customer }}]', {}), '[dear customer]');
  assert.equal(render('[{{ name | friend }}]', { name: 'Bo' }), '[Bo]');
  assert.equal(render('[{{title|}}]', {}), '[]');
  assert.equal(render('[{{title|}}]', { title: 'Dr.' }), '[Dr.]');
});

test('several in one line', () => {
  assert.equal(render('{{a|1}}-{{b}}-{{c|3}}', { b: 2 }), '1-2-3');
});

test('the rest still works', () => {
  assert.throws(() => render('{{a|x}} {{b}}', {}), /missing value: b/);
  assert.throws(() => createMail('bye', {}), /no template: bye/);
  assert.deepEqual(createMail('welcome', { shop: 'Nord' }), {
    subject: 'Welcome to Nord',
    text: 'Hello friend,\n\nthank you for joining Nord.',
  });
});
