'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { parseLog } = require('../src/log.js');
const { price } = require('../src/price.js');
const { report } = require('../src/report.js');

test('prices', () => {
  assert.equal(price('car', 61), 400);
  assert.equal(price('van', 60), 300);
  assert.equal(price('car', 20 * 60), 1600);
});

test('price of a motorcycle', () => {
  assert.equal(price('motorcycle', 61), 200);
});

test('log', () => {
  assert.deepEqual(parseLog('van 09:10 11:05\n'), [{ kind: 'van', minutes: 115 }]);
  assert.deepEqual(parseLog('motorcycle 10:00 10:30\n'), [{ kind: 'motorcycle', minutes: 30 }]);
  assert.throws(() => parseLog('bus 09:00 10:00'), /unknown vehicle: bus/);
});

test('report', () => {
  const stays = parseLog('car 09:00 10:30\nmotorcycle 10:00 10:30\nvan 10:00 11:00\n');
  assert.equal(
    report(stays),
    'car: 1 parked, 4.00\nvan: 1 parked, 3.00\nmotorcycle: 1 parked, 1.00\ntotal: 3 parked, 8.00',
  );
});
