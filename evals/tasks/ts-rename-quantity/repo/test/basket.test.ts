import assert from 'node:assert/strict';
import { test } from 'node:test';
import { put, total } from '../src/basket.ts';
import { parse } from '../src/saved.ts';

test('a basket', () => {
  const basket = put(put([], { title: 'Tea', cents: 300 }), { title: 'Tea', cents: 300 }, 2);
  assert.equal(total(basket), 900);
  assert.equal(parse('[{"title":"a","cents":1,"qty":0}]').length, 0);
});
