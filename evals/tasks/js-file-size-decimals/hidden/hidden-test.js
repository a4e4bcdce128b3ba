'use strict';

const assert = require('node:assert/strict');
const { formatShare, formatSize } = require('./lib/format.js');
const { listing } = require('./lib/listing.js');

const WANT = [
  [0, '0 B'],
  [1, '1 B'],
  [10, '10 B'],
  [1000, '1000 B'],
  [1024, '1 KB'],
  [1025, '1 KB'],
  [1600, '1.6 KB'],
  [10240, '10 KB'],
  [10752, '10.5 KB'],
  [1024 * 1024, '1 MB'],
  [1024 * 1024 * 2 + 100, '2 MB'],
  [1024 * 1024 * 2.3, '2.3 MB'],
  [1024 ** 3 * 7, '7 GB'],
  [1024 ** 4, '1024 GB'],
];
for (const [bytes, text] of WANT) assert.equal(formatSize(bytes), text);

assert.equal(formatShare(1, 8), '13%');
assert.equal(formatShare(1, 0), '0%');
assert.equal(listing([]), 'total: 0 B');
