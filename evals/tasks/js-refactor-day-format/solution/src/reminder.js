'use strict';

const { formatDay } = require('./day.js');

/** The text that reminds a member of the fee. */
function reminder(member) {
  return `Dear ${member.name}, your fee is due on ${formatDay(member.due)}.`;
}

module.exports = { reminder };
