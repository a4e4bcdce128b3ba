const { join } = require('node:path');

function at(name) {
  return join('/', name);
}

module.exports = { at };
