import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badge } from './src/badge.js';
import { kitchenList } from './src/kitchen.js';
import { parseChild, parseChildren } from './src/parse.js';

test('reading', () => {
  const cases = [
    ['Al;8;owls', []],
    ['Al;8;owls;', []],
    ['Al;8;owls;   ', []],
    ['Al;8;owls;,', []],
    ['Al;8;owls;Bee stings', ['bee stings']],
    ['Al;8;owls;soy,Milk,SOY , milk', ['soy', 'milk']],
    ['Al;8;owls;nuts,', ['nuts']],
  ];
  for (const [line, allergies] of cases) {
    assert.deepEqual(parseChild(line), { name: 'Al', age: 8, group: 'owls', allergies }, line);
  }
  assert.throws(() => parseChild(';8;owls;nuts'), /incomplete/);
});

test('badges', () => {
  assert.equal(badge(parseChild('Al;8;owls;soy,Milk')), 'AL\n8 years\ngroup: owls\nALLERGIES: soy, milk');
  assert.equal(badge(parseChild('Al;8;owls; ')), 'AL\n8 years\ngroup: owls');
});

test('the kitchen', () => {
  const children = parseChildren('Zoe;9;owls;soy,eggs\nAl;8;foxes;nuts\nMax;7;owls;eggs,soy,eggs\nBea;9;foxes;Eggs\n');
  const before = structuredClone(children);
  const list = 'foxes: 2\nowls: 2\nall: 4\nno eggs: Bea, Max, Zoe\nno nuts: Al\nno soy: Max, Zoe';
  assert.equal(kitchenList(children), list);
  assert.equal(kitchenList(children), list);
  assert.deepEqual(children, before);
  assert.equal(kitchenList(parseChildren('Al;8;foxes')), 'foxes: 1\nall: 1');
  assert.equal(kitchenList([]), 'all: 0');
});
