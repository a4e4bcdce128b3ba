/** The state of the battery by its level in percent: 'critical', 'low', 'normal' or 'full'. */
export function batteryState(percent) {
  if (percent < 0 || percent > 100) throw new RangeError(`not a battery level: ${percent}`);
  if (percent < 6) return 'critical';
  if (percent <= 21) return 'low';
  if (percent >= 80) return 'full';
  return 'normal';
}
