import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badge } from '../src/badge.js';
import { kitchenList } from '../src/kitchen.js';
import { parseChild, parseChildren } from '../src/parse.js';

const children = parseChildren(`# name;age;group;allergies
Mia;9;foxes;Nuts, milk
Tom;10;owls
Ben;8;foxes;milk
Eva;9;bears;
`);

test('a line with allergies', () => {
  assert.deepEqual(children[0], { name: 'Mia', age: 9, group: 'foxes', allergies: ['nuts', 'milk'] });
  assert.deepEqual(parseChild('Lea;7;owls; Eggs ,eggs,, FISH').allergies, ['eggs', 'fish']);
});

test('a line without', () => {
  assert.deepEqual(children[1], { name: 'Tom', age: 10, group: 'owls', allergies: [] });
  assert.deepEqual(children[3].allergies, []);
});

test('lines that are wrong', () => {
  assert.throws(() => parseChild('Mia;9'), /incomplete/);
  assert.throws(() => parseChild('Mia;nine;foxes;nuts'), /not an age: nine/);
});

test('badges', () => {
  assert.equal(badge(children[0]), 'MIA\n9 years\ngroup: foxes\nALLERGIES: nuts, milk');
  assert.equal(badge(children[1]), 'TOM\n10 years\ngroup: owls');
});

test('the kitchen list', () => {
  assert.equal(kitchenList(children), 'bears: 1\nfoxes: 2\nowls: 1\nall: 4\nno milk: Ben, Mia\nno nuts: Mia');
});
