import assert from 'node:assert/strict';
import { test } from 'node:test';
import { highlight } from '../src/highlight.js';
import { search } from '../src/search.js';

const NOTES = [
  { id: 1, title: 'Pets', text: 'A cat, a dog.' },
  { id: 2, title: 'Concat', text: 'To concatenate is to join.' },
  { id: 3, title: 'Cat', text: 'The cat sleeps.' },
];

test('highlight', () => {
  assert.equal(highlight('Cat & cat', 'cat'), '<mark>Cat</mark> &amp; <mark>cat</mark>');
  assert.equal(highlight('Cat & cat', 'cat', { caseSensitive: true }), 'Cat &amp; <mark>cat</mark>');
  assert.equal(highlight('1+1', '+'), '1<mark>+</mark>1');
});

test('search', () => {
  assert.deepEqual(search(NOTES, 'cat'), [
    { id: 2, hits: 4 },
    { id: 3, hits: 4 },
    { id: 1, hits: 1 },
  ]);
});

test('highlight of whole words', () => {
  assert.equal(highlight('cat concat', 'cat', { wholeWord: true }), '<mark>cat</mark> concat');
});

test('search for whole words', () => {
  assert.deepEqual(search(NOTES, 'cat', { wholeWord: true }), [
    { id: 3, hits: 4 },
    { id: 1, hits: 1 },
  ]);
});
