'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { diary } = require('../src/diary.js');
const { receipt } = require('../src/receipt.js');
const { reminder } = require('../src/reminder.js');

const date = new Date('2024-03-09T12:00:00Z');

test('receipt', () => {
  assert.equal(receipt({ number: 42, date, giver: 'Ida', amount: 20 }), 'Receipt 00042, 2024-03-09: Ida gave 20 EUR');
});

test('reminder', () => {
  assert.equal(reminder({ name: 'Tom', due: date }), 'Dear Tom, your fee is due on 2024-03-09.');
});

test('diary', () => {
  assert.deepEqual(diary([{ date, text: 'Spring party' }]), ['2024-03-09 Spring party']);
});

test('day', () => {
  const { formatDay } = require('../src/day.js');
  assert.equal(formatDay(date), '2024-03-09');
});
