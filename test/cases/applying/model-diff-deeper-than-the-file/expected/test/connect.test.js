import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, longestWaitMs } from '../src/connect.js';
import { createPool } from '../src/pool.js';

test('an address', () => {
  assert.equal(connect('printer:9100').port, 9100);
  assert.throws(() => connect('printer'), /not an address/);
});

test('timeoutMs is the option', () => {
  assert.deepEqual(connect('printer:9100', { timeoutMs: 2000 }), { host: 'printer', port: 9100, timeoutMs: 2000, retries: 2 });
});

test('the longest wait', () => {
  assert.equal(longestWaitMs(connect('printer:9100', { retries: 0 })), 5000);
});

test('a pool passes it on', () => {
  assert.equal(createPool(['a:1', 'b:2'], { timeoutMs: 100 }).patienceMs, 600);
});
