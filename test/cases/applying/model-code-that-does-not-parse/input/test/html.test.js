import assert from 'node:assert/strict';
import { test } from 'node:test';
import { element } from '../src/element.js';
import { escapeHtml } from '../src/escape.js';

test('plain text stays', () => {
  assert.equal(escapeHtml('hello'), 'hello');
  assert.equal(escapeHtml(12), '12');
});

test('ampersands', () => {
  assert.equal(escapeHtml('salt & pepper'), 'salt &amp; pepper');
});

test('angle brackets', () => {
  assert.equal(escapeHtml('<b>'), '&lt;b&gt;');
});

test('elements', () => {
  assert.equal(element('p', { class: 'x', hidden: true }, 'a', element('br')).html, '<p class="x" hidden>a<br></p>');
});
