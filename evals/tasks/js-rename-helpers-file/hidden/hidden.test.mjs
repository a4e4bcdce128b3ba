import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { distance, middle } from './src/geometry.js';
import { leg } from './src/map.js';
import { nearest } from './src/nearest.worker.js';

test('everything works from the new place', async () => {
  assert.equal(distance([0, 0], [3, 4]), 5);
  assert.deepEqual(middle([0, 0], [2, 2]), [1, 1]);
  assert.equal(leg([0, 0], [0, 2]).length, 2);
  assert.equal(await nearest({ point: [0, 0], others: [[9, 9], [1, 1]] }), 1);
});

test('the old file is gone, the entry of the package points to the new one', () => {
  assert.equal(existsSync('src/helpers.js'), false);
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.ok(Object.values(exports).includes('./src/geometry.js'));
  assert.ok(!Object.values(exports).includes('./src/helpers.js'));
});
