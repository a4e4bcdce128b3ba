'use strict';

const { fee } = require('./fees.js');

/** The card at a kennel. */
function card(animal) {
  const lines = [`${animal.name} (${animal.species})`];

  let age;
  if (animal.months < 12) {
    age = animal.months === 1 ? '1 month' : `${animal.months} months`;
  } else {
    const years = Math.floor(animal.months / 12);
    age = years === 1 ? '1 year' : `${years} years`;
  }
  lines.push(`Age: ${age}`);

  if (animal.notes) lines.push(`Notes: ${animal.notes}`);
  lines.push(`Fee: ${fee(animal)} EUR`);
  return lines.join('\n');
}

module.exports = { card };
