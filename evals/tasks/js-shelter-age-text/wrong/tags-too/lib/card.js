'use strict';

const { ageText } = require('./age.js');
const { fee } = require('./fees.js');

/** The card at a kennel. */
function card(animal) {
  const lines = [`${animal.name} (${animal.species})`];

  lines.push(`Age: ${ageText(animal.months)}`);
  if (animal.notes) lines.push(`Notes: ${animal.notes}`);
  lines.push(`Fee: ${fee(animal)} EUR`);
  return lines.join('\n');
}

module.exports = { card };
