import assert from 'node:assert/strict';
import { test } from 'node:test';
import { highlight } from './src/highlight.js';
import { search } from './src/search.js';

const whole = (text, term, more = {}) => highlight(text, term, { wholeWord: true, ...more });

test('ends of words', () => {
  assert.equal(whole('cat cats concat cat', 'cat'), '<mark>cat</mark> cats concat <mark>cat</mark>');
  assert.equal(whole('(cat) cat-flap cat_1 cat2', 'cat'), '(<mark>cat</mark>) <mark>cat</mark>-flap cat_1 cat2');
  assert.equal(whole('cat cat cat', 'cat'), '<mark>cat</mark> <mark>cat</mark> <mark>cat</mark>');
  assert.equal(whole('concat', 'cat'), 'concat');
});

test('letters with accents', () => {
  assert.equal(whole('caté écat cat', 'cat'), 'caté écat <mark>cat</mark>');
  assert.equal(whole('ein Öl, Ölung', 'öl'), 'ein <mark>Öl</mark>, Ölung');
});

test('terms that end in a sign', () => {
  assert.equal(whole('I like C++.', 'C++'), 'I like <mark>C++</mark>.');
  assert.equal(whole('C++', 'c++'), '<mark>C++</mark>');
  assert.equal(whole('C++11 and C++', 'C++'), 'C++11 and <mark>C++</mark>');
  assert.equal(whole('.net asp.net', '.net'), '<mark>.net</mark> asp.net');
});

test('with caseSensitive', () => {
  assert.equal(whole('Cat cat cats', 'cat', { caseSensitive: true }), 'Cat <mark>cat</mark> cats');
});

test('search', () => {
  const notes = [
    { id: 1, title: 'Concat', text: 'cat cats' },
    { id: 2, title: 'CAT', text: 'caté' },
    { id: 3, title: 'none', text: 'concat' },
  ];
  assert.deepEqual(search(notes, 'cat', { wholeWord: true }), [{ id: 2, hits: 3 }, { id: 1, hits: 1 }]);
  assert.deepEqual(search(notes, 'cat', { wholeWord: true, caseSensitive: true }), [{ id: 1, hits: 1 }]);
  assert.deepEqual(search(notes, 'cat', { wholeWord: false }).map((one) => one.id), [1, 2, 3]);
});

test('without the option all is as before', () => {
  assert.equal(highlight('Cat concat <b>', 'cat'), '<mark>Cat</mark> con<mark>cat</mark> &lt;b&gt;');
  assert.equal(highlight('a.b axb', 'a.b'), '<mark>a.b</mark> axb');
  assert.equal(highlight('cat2', 'cat', { wholeWord: false }), '<mark>cat</mark>2');
  assert.throws(() => highlight('a', '', { wholeWord: true }), /the term is empty/);
});
