'use strict';

/** Adds up. */
function sum(list) {
  return list.reduce((a, b) => a + b, 0);
}

function other() {
  return 1;
}

module.exports = { sum, other };
