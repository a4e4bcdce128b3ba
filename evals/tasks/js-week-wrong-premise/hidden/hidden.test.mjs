import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hoursByWeek } from './src/sheet.js';
import { isoWeek, isoWeekYear } from './src/week.js';

test('ISO 8601 holds around New Year', () => {
  const cases = [
    ['2026-12-27', 52, 2026], ['2026-12-28', 53, 2026], ['2027-01-01', 53, 2026], ['2027-01-03', 53, 2026], ['2027-01-04', 1, 2027],
    ['2024-12-29', 52, 2024], ['2024-12-30', 1, 2025], ['2025-01-01', 1, 2025], ['2026-01-01', 1, 2026],
    ['2021-01-03', 53, 2020], ['2022-01-01', 52, 2021], ['2023-01-01', 52, 2022],
  ];
  for (const [date, week, year] of cases) {
    assert.equal(isoWeek(date), week, date);
    assert.equal(isoWeekYear(date), year, date);
  }
});

test('one week is not split over two keys', () => {
  assert.deepEqual(hoursByWeek([{ date: '2026-12-31', hours: 3 }, { date: '2027-01-01', hours: 2 }]), { '2026-W53': 5 });
});
