import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { House } from './src/house.js';
import * as meters from './src/meter.js';

test('functions on plain objects', () => {
  assert.deepEqual(Object.keys(meters).sort(), ['add', 'createMeter', 'total']);
  const empty = meters.createMeter('gas');
  const one = Object.freeze(meters.add(empty, 3));
  const two = meters.add(one, 4);
  assert.deepEqual([empty, one, two].map(meters.total), [0, 3, 7]);
  assert.equal(Object.getPrototypeOf(two), Object.prototype);
  assert.equal(two.name, 'gas');
  assert.deepEqual(JSON.parse(JSON.stringify(two)), two);
  for (const amount of [-1, Number.NaN, undefined]) assert.throws(() => meters.add(one, amount), /gas: .* is no reading/);
  assert.doesNotMatch(readFileSync('src/meter.js', 'utf8'), /class|this\./);
});

test('the house keeps its interface', () => {
  const house = new House();
  house.read('water', 2);
  house.read('water', 5);
  house.read('gas', 0);
  assert.equal(house.total('water'), 7);
  assert.equal(house.total('power'), 0);
  assert.deepEqual(house.names, ['water']);
  assert.throws(() => house.read('water', -1), RangeError);
  assert.equal(house.total('water'), 7);
});
