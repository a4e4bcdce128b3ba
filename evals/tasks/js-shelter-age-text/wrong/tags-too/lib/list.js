'use strict';

const { ageText } = require('./age.js');

/** The list for the website, the youngest first. */
function list(animals) {
  const rows = [];
  for (const animal of [...animals].sort((a, b) => a.months - b.months)) {
    rows.push(`${animal.name}, ${ageText(animal.months)}${animal.reserved ? ' (reserved)' : ''}`);
  }
  return rows;
}

module.exports = { list };
