import assert from 'node:assert/strict';
import { test } from 'node:test';
import { House } from '../src/house.js';
import { add, createMeter, total } from '../src/meter.js';

test('meters are plain objects', () => {
  const meter = add(createMeter('gas'), 3);
  assert.equal(total(JSON.parse(JSON.stringify(meter))), 3);
});

test('a house', () => {
  const house = new House();
  house.read('water', 2);
  assert.equal(house.total('water'), 2);
});
