import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, find, groups, packPrice } from '../src/catalog.js';
import { offer } from '../src/offer.js';
import { search } from '../src/search.js';

test('finds parts', () => {
  assert.equal(find('BLT-M6-20').name, 'Hex bolt M6 x 20');
  assert.throws(() => find('NONE'), /no part NONE/);
});

test('single pieces', () => {
  assert.equal(packPrice('BLT-M6-20', 1), Math.ceil(find('BLT-M6-20').price / 10));
});

test('discount from 100 pieces', () => {
  const { price } = find('BLT-M6-20');
  assert.equal(packPrice('BLT-M6-20', 99), Math.ceil((price * 99) / 10));
  assert.equal(packPrice('BLT-M6-20', 100), Math.ceil((price * 95) / 10));
});

test('discount from 1000 pieces', () => {
  const { price } = find('BLT-M6-20');
  assert.equal(packPrice('BLT-M6-20', 1000), Math.ceil((price * 850) / 10));
});

test('search and offers', () => {
  assert.equal(search('eye bolt large').length, 1);
  assert.equal(offer([{ sku: 'BLT-M6-20', count: 2 }]).lines.length, 1);
  assert.ok(groups().includes('bolts'));
  assert.ok(all().length > 500);
});
