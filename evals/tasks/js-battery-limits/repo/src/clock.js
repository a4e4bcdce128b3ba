/** The time of day as 9:05. */
export function clockText(hours, minutes) {
  return `${hours}:${String(minutes).padStart(2, '0')}`;
}
