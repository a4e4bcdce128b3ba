'use strict';

/** A date as 2024-03-09. */
function formatDay(date) {
  const month = String(date.getMonth() + 1).padStart(2, '0');
  const day = String(date.getDate()).padStart(2, '0');
  return `${date.getFullYear()}-${month}-${day}`;
}

module.exports = { formatDay };
