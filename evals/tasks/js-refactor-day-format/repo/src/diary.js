'use strict';

/** The lines of the diary: what happened on which day. */
function diary(entries) {
  return entries.map(({ date, text }) => {
    const month = String(date.getUTCMonth() + 1).padStart(2, '0');
    const day = String(date.getUTCDate()).padStart(2, '0');
    return `${date.getUTCFullYear()}-${month}-${day} ${text}`;
  });
}

module.exports = { diary };
