'use strict';

const { nextDepartures } = require('./departures.js');
const { waitText } = require('./clock.js');

/** The text of the board at a stop. */
function board(timetable, stop, now, count = 3) {
  const rows = nextDepartures(timetable, stop, now, count).map(
    ({ line, to, time }) => `${line.padEnd(4)}${to.padEnd(12)}${time.padStart(5)}  ${waitText(now, time)}`,
  );
  if (rows.length === 0) rows.push('No more buses today');
  return [`${stop}, ${now}`, ...rows].join('\n');
}

module.exports = { board };
