'use strict';

const { ageText } = require('./age.js');

/** The tag on a collar has little space: `Rex 3y`, `Mia 5m`. */
function tag(animal) {
  const [count, unit] = ageText(animal.months).split(' ');
  return `${animal.name} ${count}${unit[0]}`;
}

module.exports = { tag };
