'use strict';

function formatDate(date) {
  const month = String(date.getUTCMonth() + 1).padStart(2, '0');
  const day = String(date.getUTCDate()).padStart(2, '0');
  return `${date.getUTCFullYear()}-${month}-${day}`;
}

/** The text that reminds a member of the fee. */
function reminder(member) {
  return `Dear ${member.name}, your fee is due on ${formatDate(member.due)}.`;
}

module.exports = { reminder };
