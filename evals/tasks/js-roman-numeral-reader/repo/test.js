'use strict';

const assert = require('node:assert/strict');
const { toRoman, fromRoman } = require('./roman.js');

assert.equal(toRoman(1), 'I');
assert.equal(toRoman(1994), 'MCMXCIV');
assert.throws(() => toRoman(0), RangeError);

assert.equal(fromRoman('XIV'), 14);
assert.equal(fromRoman('MMXXVI'), 2026);
assert.equal(fromRoman('xlii'), 42);
assert.throws(() => fromRoman('ABC'), RangeError);

console.log('ok');
