/** Time as the clock shows it: "4:53", and with tenths below 20 seconds: "0:09.4". */
export function showTime(milliseconds) {
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = (milliseconds % 60_000) / 1000;
  if (milliseconds < 20_000) return `0:${seconds.toFixed(1).padStart(4, '0')}`;
  return `${minutes}:${String(Math.floor(seconds)).padStart(2, '0')}`;
}

/** Both times, the active player marked: "*5:00 | 4:53". */
export function showClock(clock) {
  const side = (player) => (clock.active === player ? '*' : '') + showTime(clock.left[player]);
  return `${side('white')} | ${side('black')}`;
}
