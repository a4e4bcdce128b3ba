import assert from 'node:assert/strict';
import { test } from 'node:test';
import { politeFetch } from './src/fetch.js';
import { MAX_DELAY_MS, isRetried, retryDelayMs } from './src/retry.js';

const NOW = Date.UTC(2026, 9, 21, 7, 27, 30);

test('dates', () => {
  assert.equal(retryDelayMs('Wed, 21 Oct 2026 07:28:00 GMT', 4, NOW), 30_000);
  assert.equal(retryDelayMs('Wed, 21 Oct 2026 07:27:31 GMT', 1, NOW + 250), 750);
  assert.equal(retryDelayMs('Wed, 21 Oct 2026 07:27:30 GMT', 3, NOW), 0);
  assert.equal(retryDelayMs('Tue, 20 Oct 2026 07:00:00 GMT', 3, NOW), 0);
});

test('dates far away are limited', () => {
  assert.equal(retryDelayMs('Thu, 22 Oct 2026 07:28:00 GMT', 1, NOW), MAX_DELAY_MS);
});

test('what is neither falls back to doubling', () => {
  assert.equal(retryDelayMs('soon', 2, NOW), 1000);
  assert.equal(retryDelayMs('', 3, NOW), 2000);
  assert.equal(retryDelayMs(null, 30, NOW), MAX_DELAY_MS);
});

test('seconds as before', () => {
  assert.equal(retryDelayMs(' 7 ', 1, NOW), 7000);
  assert.equal(retryDelayMs('0', 5, NOW), 0);
  assert.equal(retryDelayMs('99999', 1, NOW), MAX_DELAY_MS);
  assert.equal(isRetried(503), true);
  assert.equal(isRetried(500), false);
});

test('through the fetch', async () => {
  const answers = [{ status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2026 07:27:40 GMT' } }, { status: 503, headers: {} }, { status: 503, headers: {} }];
  const waits = [];
  const response = await politeFetch(async () => answers.shift(), { wait: async (ms) => waits.push(ms), now: () => NOW });
  assert.equal(response.status, 503);
  assert.deepEqual(waits, [10_000, 1000]);
});
