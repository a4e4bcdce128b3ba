'use strict';

const FEES = { dog: 250, cat: 120, rabbit: 40 };

/** What an adoption costs: half for animals of ten years and more. */
function fee(animal) {
  const full = FEES[animal.species] ?? 30;
  return animal.months >= 120 ? full / 2 : full;
}

module.exports = { fee };
