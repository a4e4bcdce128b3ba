import { isoWeek, isoWeekYear } from './week.js';

/** Hours by week: { "2026-W19": 12.5 }. */
export function hoursByWeek(entries) {
  const weeks = {};
  for (const { date, hours } of entries) {
    const key = `${isoWeekYear(date)}-W${String(isoWeek(date)).padStart(2, '0')}`;
    weeks[key] = (weeks[key] ?? 0) + hours;
  }
  return weeks;
}
