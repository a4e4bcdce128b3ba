import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoney } from '../src/money.ts';
import { renderStatement } from '../src/statement.ts';

test('amounts', () => {
  assert.equal(formatMoney(1250, 'USD'), '$12.50');
  assert.equal(formatMoney(123456789, 'GBP'), '£1,234,567.89');
  assert.equal(formatMoney(999, 'EUR'), '9.99 €');
  assert.equal(formatMoney(1500, 'JPY'), '¥1,500');
});

test('the minus is in front of the symbol', () => {
  assert.equal(formatMoney(-1250, 'USD'), '-$12.50');
});

test('statement', () => {
  const entries = [
    { text: 'Salary', amount: 200000 },
    { text: 'Rent', amount: -95000 },
  ];
  assert.equal(
    renderStatement(entries, 'EUR'),
    ['Salary   2,000.00 €', 'Rent      -950.00 €', 'Balance  1,050.00 €'].join('\n'),
  );
});
