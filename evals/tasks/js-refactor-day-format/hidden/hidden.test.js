'use strict';

process.env.TZ = 'America/Los_Angeles';

const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const { test } = require('node:test');
const { formatDay } = require('./src/day.js');
const { diary } = require('./src/diary.js');
const { receipt } = require('./src/receipt.js');
const { reminder } = require('./src/reminder.js');

test('formatDay', () => {
  assert.equal(formatDay(new Date('2024-03-09T12:00:00Z')), '2024-03-09');
  assert.equal(formatDay(new Date('2023-12-31T23:59:59Z')), '2023-12-31');
  assert.equal(formatDay(new Date('2024-01-01T00:00:00Z')), '2024-01-01');
  assert.equal(formatDay(new Date('2024-10-20T01:00:00Z')), '2024-10-20');
});

test('the texts are as before', () => {
  const date = new Date('2025-01-01T03:00:00Z');
  assert.equal(receipt({ number: 7, date, giver: 'Ben', amount: 5 }), 'Receipt 00007, 2025-01-01: Ben gave 5 EUR');
  assert.equal(reminder({ name: 'Eva', due: date }), 'Dear Eva, your fee is due on 2025-01-01.');
  assert.deepEqual(diary([{ date, text: 'a' }, { date: new Date('2025-11-30T00:00:00Z'), text: 'b c' }]), ['2025-01-01 a', '2025-11-30 b c']);
  assert.deepEqual(diary([]), []);
});

test('one place for it', () => {
  for (const name of ['receipt', 'reminder', 'diary']) {
    const source = readFileSync(`src/${name}.js`, 'utf8');
    assert.match(source, /['"]\.\/day(\.js)?['"]/, name);
    assert.match(source, /formatDay\b/, name);
    assert.doesNotMatch(source, /Month\(|toISOString|FullYear\(/, name);
  }
});
