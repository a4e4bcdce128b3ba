import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hoursByWeek } from '../src/sheet.js';
import { isoWeek, isoWeekYear } from '../src/week.js';

test('weeks within a year', () => {
  assert.equal(isoWeek('2026-05-04'), 19);
  assert.equal(isoWeek('2026-05-10'), 19);
  assert.equal(isoWeek('2026-05-11'), 20);
});

test('the first Monday of 2027', () => {
  assert.equal(isoWeek('2027-01-04'), 1);
});

test('January 1st may be in the last week of the year before', () => {
  assert.equal(isoWeek('2027-01-01'), 53);
  assert.equal(isoWeekYear('2027-01-01'), 2026);
});

test('hours add up', () => {
  assert.deepEqual(hoursByWeek([{ date: '2026-05-04', hours: 4 }, { date: '2026-05-06', hours: 8 }]), { '2026-W19': 12 });
});

test('the year of a week', () => {
  assert.equal(isoWeekYear('2026-05-04'), 2026);
});
