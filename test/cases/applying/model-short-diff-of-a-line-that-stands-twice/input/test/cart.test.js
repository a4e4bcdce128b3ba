import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkout, subtotal } from '../src/cart.js';
import { missingForFree, shippingCost } from '../src/shipping.js';

test('subtotal counts quantities', () => {
  assert.equal(subtotal([{ priceCents: 250, quantity: 3 }, { priceCents: 100, quantity: 1 }]), 850);
});

test('small orders pay shipping', () => {
  assert.equal(shippingCost(1200, 'DE'), 490);
  assert.equal(shippingCost(4999, 'DE'), 490);
});

test('shipping is free from 50', () => {
  assert.equal(shippingCost(6000, 'DE'), 0);
  assert.equal(shippingCost(5000, 'DE'), 0);
});

test('Switzerland always pays', () => {
  assert.equal(shippingCost(100000, 'CH'), 1490);
});

test('says what is missing', () => {
  assert.equal(missingForFree(4200, 'DE'), 800);
});

test('a coupon counts before shipping', () => {
  const lines = [{ priceCents: 6000, quantity: 1 }];
  assert.deepEqual(checkout(lines, { coupon: { percent: 50 } }), { subtotal: 6000, discount: 3000, shipping: 490, total: 3490 });
});
