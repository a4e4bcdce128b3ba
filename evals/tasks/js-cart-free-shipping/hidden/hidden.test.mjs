import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkout } from './src/cart.js';
import { missingForFree, shippingCost } from './src/shipping.js';

test('free at the limit in each country that has one', () => {
  assert.equal(shippingCost(5000, 'DE'), 0);
  assert.equal(shippingCost(8000, 'AT'), 0);
  assert.equal(shippingCost(8001, 'AT'), 0);
});

test('not below the limit', () => {
  assert.equal(shippingCost(4999, 'DE'), 490);
  assert.equal(shippingCost(7999, 'AT'), 890);
  assert.equal(shippingCost(0, 'DE'), 490);
});

test('never free without a limit', () => {
  assert.equal(shippingCost(0, 'CH'), 1490);
  assert.equal(shippingCost(5000, 'CH'), 1490);
  assert.equal(shippingCost(1_000_000, 'CH'), 1490);
});

test('the rest of the shop', () => {
  assert.throws(() => shippingCost(5000, 'FR'), RangeError);
  assert.equal(missingForFree(5000, 'DE'), 0);
  assert.equal(missingForFree(5000, 'CH'), null);
  assert.deepEqual(checkout([{ priceCents: 5490, quantity: 1 }], { coupon: { cents: 490 } }), { subtotal: 5490, discount: 490, shipping: 0, total: 5000 });
  assert.deepEqual(checkout([]), { subtotal: 0, discount: 0, shipping: 0, total: 0 });
});
