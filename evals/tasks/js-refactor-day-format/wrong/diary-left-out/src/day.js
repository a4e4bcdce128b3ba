'use strict';

/** A date as 2024-03-09, in UTC. */
function formatDay(date) {
  const month = String(date.getUTCMonth() + 1).padStart(2, '0');
  const day = String(date.getUTCDate()).padStart(2, '0');
  return `${date.getUTCFullYear()}-${month}-${day}`;
}

module.exports = { formatDay };
