import assert from 'node:assert/strict';
import { test } from 'node:test';
import { element } from './src/element.js';
import { escapeAttribute, escapeHtml } from './src/escape.js';

test('each sign once', () => {
  assert.equal(escapeHtml('<b>'), '&lt;b&gt;');
  assert.equal(escapeHtml('a < b && c > d'), 'a &lt; b &amp;&amp; c &gt; d');
  assert.equal(escapeHtml('"'), '"');
});

test('text that looks escaped shows as it was written', () => {
  assert.equal(escapeHtml('&lt;'), '&amp;lt;');
  assert.equal(escapeHtml('&amp;'), '&amp;amp;');
});

test('attributes', () => {
  assert.equal(escapeAttribute('"a" & <b>'), '&quot;a&quot; &amp; &lt;b&gt;');
  assert.equal(element('a', { href: '/?a=1&b=2', title: null }, 'x < y').html, '<a href="/?a=1&amp;b=2">x &lt; y</a>');
});
