import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkout } from './src/checkout.js';
import { isOn } from './src/flags.js';
import { receipt } from './src/receipt.js';
import * as totals from './src/total.js';

test('the new way', () => {
  assert.deepEqual(checkout([{ price: 10.4, count: 2 }], { card: 'x' }), { due: 21, steps: ['address', 'pay'] });
  assert.equal(receipt([{ price: 100, count: 1 }]), 'Total: 1.00');
});

test('nothing is left of the flag and of the old way', () => {
  assert.deepEqual(JSON.parse(readFileSync('flags.json', 'utf8')), { giftCards: false, slowImages: true });
  assert.throws(() => isOn('newCheckout'), /unknown flag/);
  assert.deepEqual(Object.keys(totals), ['total']);
  for (const file of ['src/checkout.js', 'src/receipt.js', 'src/total.js']) assert.doesNotMatch(readFileSync(file, 'utf8'), /newCheckout|oldTotal|TOTAL|account/, file);
  assert.doesNotMatch(readFileSync('src/receipt.js', 'utf8'), /isOn/);
  assert.match(readFileSync('src/checkout.js', 'utf8'), /isOn\('giftCards'\)/);
});
