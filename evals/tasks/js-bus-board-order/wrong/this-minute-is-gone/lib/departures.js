'use strict';

const { toMinutes } = require('./clock.js');

/** All departures of a day from one stop, line by line. */
function departuresFrom(timetable, stop) {
  const found = [];
  for (const line of timetable.lines) {
    for (const time of line.stops[stop] ?? []) {
      found.push({ line: line.name, to: line.to, time });
    }
  }
  return found;
}

/** The next departures from a stop, those at this very minute included. */
function nextDepartures(timetable, stop, now, count = 3) {
  return departuresFrom(timetable, stop)
    .filter((departure) => toMinutes(departure.time) > toMinutes(now))
    .sort((a, b) => toMinutes(a.time) - toMinutes(b.time))
    .slice(0, count);
}

/** The last departure of the day, or undefined. */
function lastDeparture(timetable, stop) {
  return nextDepartures(timetable, stop, '0:00', Infinity).at(-1);
}

module.exports = { departuresFrom, nextDepartures, lastDeparture };
