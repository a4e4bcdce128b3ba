import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitBill, splitByName } from './src/bill.ts';
import { money, receipt } from './src/receipt.ts';

test('the first pay one cent more', () => {
  assert.deepEqual(splitBill(1000, 3), [334, 333, 333]);
  assert.deepEqual(splitBill(1001, 3), [334, 334, 333]);
  assert.deepEqual(splitBill(2, 4), [1, 1, 0, 0]);
  assert.deepEqual(splitBill(0, 2), [0, 0]);
  assert.deepEqual(splitBill(7, 1), [7]);
});

test('shares add up and differ by one at most', () => {
  for (let total = 0; total < 60; total += 1) {
    for (let people = 1; people < 9; people += 1) {
      const shares = splitBill(total, people);
      assert.equal(shares.length, people);
      assert.equal(shares.reduce((sum, share) => sum + share, 0), total);
      assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
      assert.deepEqual(shares, [...shares].sort((a, b) => b - a));
    }
  }
});

test('the rest', () => {
  assert.deepEqual(splitByName(101, ['A', 'B']), [{ name: 'A', cents: 51 }, { name: 'B', cents: 50 }]);
  assert.equal(receipt(1, ['A', 'B']), 'A             0.01\nB             0.00');
  assert.equal(money(334), '3.34');
  assert.throws(() => splitBill(100, 1.5), RangeError);
});
