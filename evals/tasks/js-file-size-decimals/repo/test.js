'use strict';

const assert = require('node:assert/strict');
const { formatSize } = require('./lib/format.js');
const { listing } = require('./lib/listing.js');

assert.equal(formatSize(1536), '1.5 KB');
assert.equal(formatSize(512), '512 B');
assert.equal(formatSize(2048), '2 KB');
assert.equal(
  listing([
    { name: 'a.txt', bytes: 1024 },
    { name: 'b.txt', bytes: 3072 },
  ]),
  'b.txt: 3 KB (75%)\na.txt: 1 KB (25%)\ntotal: 4 KB',
);
console.log('ok');
