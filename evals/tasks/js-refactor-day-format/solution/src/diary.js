'use strict';

const { formatDay } = require('./day.js');

/** The lines of the diary: what happened on which day. */
function diary(entries) {
  return entries.map(({ date, text }) => `${formatDay(date)} ${text}`);
}

module.exports = { diary };
