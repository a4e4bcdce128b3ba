'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { toRoman, fromRoman } = require('./roman.js');

for (let number = 1; number <= 3999; number++) {
  assert.equal(fromRoman(toRoman(number)), number);
  assert.equal(fromRoman(toRoman(number).toLowerCase()), number);
}
for (const bad of ['', 'IIII', 'IC', 'VX', 'VV', 'IIX', 'IXI', 'XM', 'CCD', 'MMMM', 'X X', ' X', 'X1', '12', 'ABC', 'iiii']) {
  assert.throws(() => fromRoman(bad), RangeError, JSON.stringify(bad));
}
assert.equal(toRoman(3999), 'MMMCMXCIX');
assert.throws(() => toRoman(4000), RangeError);
assert.throws(() => toRoman(1.5), RangeError);
const done = spawnSync(process.execPath, ['chapters.js', 'A', 'B'], { encoding: 'utf8' });
assert.equal(done.stdout, 'I. A\nII. B\n');
