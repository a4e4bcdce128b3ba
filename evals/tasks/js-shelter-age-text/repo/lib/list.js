'use strict';

/** The list for the website, the youngest first. */
function list(animals) {
  const rows = [];
  for (const animal of [...animals].sort((a, b) => a.months - b.months)) {
    let age;
    if (animal.months < 12) {
      age = animal.months === 1 ? '1 month' : `${animal.months} months`;
    } else {
      const years = Math.floor(animal.months / 12);
      age = years === 1 ? '1 year' : `${years} years`;
    }
    rows.push(`${animal.name}, ${age}${animal.reserved ? ' (reserved)' : ''}`);
  }
  return rows;
}

module.exports = { list };
