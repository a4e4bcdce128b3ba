import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitBill, splitByName } from '../src/bill.ts';
import { receipt } from '../src/receipt.ts';

test('even amounts', () => {
  assert.deepEqual(splitBill(900, 3), [300, 300, 300]);
});

test('the shares add up', () => {
  assert.deepEqual(splitBill(1000, 3), [334, 333, 333]);
});

test('by name', () => {
  assert.deepEqual(splitByName(500, ['Ann']), [{ name: 'Ann', cents: 500 }]);
});

test('a receipt', () => {
  assert.equal(receipt(600, ['Ann', 'Bob']), 'Ann           3.00\nBob           3.00');
});

test('nobody cannot pay', () => {
  assert.throws(() => splitBill(100, 0), RangeError);
});
