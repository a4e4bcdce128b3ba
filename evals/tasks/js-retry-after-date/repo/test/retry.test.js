import assert from 'node:assert/strict';
import { test } from 'node:test';
import { politeFetch } from '../src/fetch.js';
import { retryDelayMs } from '../src/retry.js';

const NOW = Date.UTC(2026, 9, 21, 7, 27, 30);

test('seconds', () => {
  assert.equal(retryDelayMs('7', 1, NOW), 7000);
});

test('doubles without a header', () => {
  assert.deepEqual([1, 2, 3].map((attempt) => retryDelayMs(null, attempt, NOW)), [500, 1000, 2000]);
});

test('a date', () => {
  assert.equal(retryDelayMs('Wed, 21 Oct 2026 07:28:00 GMT', 1, NOW), 30_000);
});

test('a date in the past means now', () => {
  assert.equal(retryDelayMs('Wed, 21 Oct 2026 07:00:00 GMT', 1, NOW), 0);
});

test('waits and tries again', async () => {
  const answers = [{ status: 503, headers: { 'retry-after': '2' } }, { status: 200, headers: {} }];
  const waits = [];
  const response = await politeFetch(async () => answers.shift(), { wait: async (ms) => waits.push(ms), now: () => NOW });
  assert.equal(response.status, 200);
  assert.deepEqual(waits, [2000]);
});
