const { join, resolve } = require('node:path');
const fs = require('node:fs');

function at(name) {
  return fs.existsSync(name) ? resolve('/', name) : join('/', name);
}

module.exports = { at };
