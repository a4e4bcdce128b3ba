'use strict';

/** The tag on a collar has little space: `Rex 3y`, `Mia 5m`. */
function tag(animal) {
  if (animal.months < 24) return `${animal.name} ${animal.months}m`;
  return `${animal.name} ${Math.floor(animal.months / 12)}y`;
}

module.exports = { tag };
