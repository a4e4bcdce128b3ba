import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoney } from '../src/money.js';
import { runInvoices } from '../src/run.js';
import { totalOf } from '../src/total.js';

test('money', () => {
  assert.equal(formatMoney(1250, { currency: 'EUR', decimals: 2, sign: ',' }), '12,50 EUR');
});

test('totals', () => {
  assert.equal(totalOf([{ cents: 100, count: 3 }, { cents: 50 }], { percent: 20 }), 420);
});

test('customers do not change each other', () => {
  const items = [{ cents: 1000 }];
  assert.deepEqual(
    runInvoices([
      { name: 'Ann', items },
      { name: 'Bob', region: 'us', items },
      { name: 'Cid', items },
    ]),
    ['Ann: 12.00 EUR', 'Bob: 10.00 USD', 'Cid: 12.00 EUR'],
  );
});
