import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoney } from './src/money.ts';
import { renderStatement } from './src/statement.ts';

test('negative amounts', () => {
  assert.equal(formatMoney(-1250, 'USD'), '-$12.50');
  assert.equal(formatMoney(-5, 'USD'), '-$0.05');
  assert.equal(formatMoney(-99, 'GBP'), '-£0.99');
  assert.equal(formatMoney(-100, 'USD'), '-$1.00');
  assert.equal(formatMoney(-123456789, 'USD'), '-$1,234,567.89');
  assert.equal(formatMoney(-1500, 'JPY'), '-¥1,500');
  assert.equal(formatMoney(-7, 'JPY'), '-¥7');
});

test('a symbol behind stays behind', () => {
  assert.equal(formatMoney(-1250, 'EUR'), '-12.50 €');
  assert.equal(formatMoney(-5, 'EUR'), '-0.05 €');
  assert.equal(formatMoney(-100050, 'EUR'), '-1,000.50 €');
});

test('the others stay', () => {
  assert.equal(formatMoney(0, 'USD'), '$0.00');
  assert.equal(formatMoney(5, 'USD'), '$0.05');
  assert.equal(formatMoney(1250, 'USD'), '$12.50');
  assert.equal(formatMoney(100000, 'EUR'), '1,000.00 €');
  assert.equal(formatMoney(0, 'JPY'), '¥0');
  assert.equal(
    renderStatement([{ text: 'In', amount: 100 }, { text: 'Out', amount: -130 }], 'USD'),
    ['In        $1.00', 'Out      -$1.30', 'Balance  -$0.30'].join('\n'),
  );
});
