import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { all, find, groups, packPrice } from './src/catalog.js';
import { offer } from './src/offer.js';

const wanted = (price, count, percent) => Math.ceil((price * count * (100 - percent)) / 1000);

test('all steps, for parts of all groups', () => {
  for (const group of groups()) {
    const { sku, price } = all().find((part) => part.group === group);
    for (const [count, percent] of [[1, 0], [99, 0], [100, 5], [101, 5], [999, 5], [1000, 15], [1001, 15], [50_000, 15]]) {
      assert.equal(packPrice(sku, count), wanted(price, count, group === 'special' ? 0 : percent), `${count} of ${sku}`);
    }
  }
});

test('counts that are none', () => {
  for (const count of [0, -1, 1.5]) assert.throws(() => packPrice('BLT-M6-20', count), RangeError);
});

test('offers', () => {
  const { lines, cents } = offer([{ sku: 'BLT-M6-20', count: 1000 }, { sku: 'BLT-M6-20', count: 1 }]);
  assert.equal(cents, lines[0].cents + lines[1].cents);
  assert.equal(lines[0].cents, wanted(find('BLT-M6-20').price, 1000, 15));
});

test('the entries are untouched', () => {
  const entries = readFileSync('src/catalog.js', 'utf8').split('\n').filter((line) => line.startsWith('  { sku:'));
  assert.equal(createHash('sha256').update(entries.join('\n')).digest('hex'), 'fdccdc8d7873a3e49ee88ae5649281c11d2d19fc0c2d3a876c6caf1bcab8362c');
});
