import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { put, total } from './src/basket.ts';
import { print } from './src/print.ts';
import { parse, stringify } from './src/saved.ts';

test('the new name', () => {
  const one = put([], { title: 'Tea', cents: 300 });
  assert.deepEqual(one, [{ title: 'Tea', cents: 300, quantity: 1 }]);
  const two = put(one, { title: 'Tea', cents: 300 }, 4);
  assert.deepEqual(two, [{ title: 'Tea', cents: 300, quantity: 5 }]);
  assert.equal(total(two), 1500);
  assert.equal(print(two), 'qty title\n  5 Tea');
  assert.equal(stringify(two), '[{"title":"Tea","cents":300,"quantity":5}]');
});

test('saved baskets, old and new', () => {
  const old = '[{"title":"a","cents":1,"qty":2},{"title":"b","cents":1,"qty":0}]';
  assert.deepEqual(parse(old), [{ title: 'a', cents: 1, quantity: 2 }]);
  assert.deepEqual(parse('[{"title":"a","cents":1,"quantity":0,"qty":2}]'), []);
  assert.deepEqual(parse(stringify(parse(old))), parse(old));
});

test('the old name is left where it is meant', () => {
  for (const file of ['types', 'basket']) assert.doesNotMatch(readFileSync(`src/${file}.ts`, 'utf8'), /qty/, file);
  assert.doesNotMatch(readFileSync('src/print.ts', 'utf8').replace("'qty title'", ''), /qty/);
});
