'use strict';

/** Adds up. */
function sum(list) {
  return list.length;
}

function other() {
  return 1;
}

module.exports = { sum, other };
