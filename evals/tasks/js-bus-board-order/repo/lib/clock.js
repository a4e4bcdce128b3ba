'use strict';

/** Minutes since midnight of a time as in the timetable: `9:05` or `17:40`. */
function toMinutes(text) {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text);
  if (!match) throw new Error(`not a time: ${text}`);
  return Number(match[1]) * 60 + Number(match[2]);
}

/** How long to wait, as the board shows it. */
function waitText(now, time) {
  const minutes = toMinutes(time) - toMinutes(now);
  if (minutes === 0) return 'now';
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

module.exports = { toMinutes, waitText };
