'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { test } = require('node:test');
const { parseLog } = require('./src/log.js');
const { price } = require('./src/price.js');
const { report } = require('./src/report.js');

test('motorcycles', () => {
  assert.equal(price('motorcycle', 1), 100);
  assert.equal(price('motorcycle', 60), 100);
  assert.equal(price('motorcycle', 300), 500);
  assert.equal(price('motorcycle', 360), 600);
  assert.equal(price('motorcycle', 361), 600);
  assert.equal(price('motorcycle', 1400), 600);
});

test('the others as before', () => {
  assert.equal(price('car', 60), 200);
  assert.equal(price('car', 481), 1600);
  assert.equal(price('van', 61), 600);
  assert.equal(price('van', 1400), 2400);
  for (const bad of ['bus', 'Motorcycle', 'total']) assert.throws(() => parseLog(`${bad} 09:00 10:00`), /unknown vehicle/);
});

test('report', () => {
  assert.equal(report([]), 'car: 0 parked, 0.00\nvan: 0 parked, 0.00\nmotorcycle: 0 parked, 0.00\ntotal: 0 parked, 0.00');
  const done = spawnSync(process.execPath, ['parking.js', 'hidden.log'], { encoding: 'utf8' });
  assert.equal(done.stdout, 'car: 2 parked, 18.00\nvan: 0 parked, 0.00\nmotorcycle: 2 parked, 8.00\ntotal: 4 parked, 26.00\n');
});

test('README', () => {
  const text = readFileSync('README.md', 'utf8');
  assert.match(text, /^\|\s*`?motorcycle`?\s*\|\s*1\.00\s*\|\s*6\.00\s*\|/im);
  assert.match(text, /^\|\s*car\s*\|\s*2\.00\s*\|\s*16\.00\s*\|/m);
  assert.match(text, /^\|\s*van\s*\|\s*3\.00\s*\|\s*24\.00\s*\|/m);
});
