import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { connect, longestWaitMs } from './src/connect.js';
import { createPool } from './src/pool.js';

test('the new name', () => {
  assert.deepEqual(connect('p:1'), { host: 'p', port: 1, timeoutMs: 5000, retries: 2 });
  assert.deepEqual(connect('p:1', { timeoutMs: 3 }), { host: 'p', port: 1, timeoutMs: 3, retries: 2 });
  assert.throws(() => connect('p:1', { timeoutMs: 0 }), /timeoutMs must be above 0/);
  assert.equal(longestWaitMs({ timeoutMs: 10, retries: 3 }), 40);
  assert.equal(createPool(['a:1', 'b:2', 'c:3'], { timeoutMs: 10, size: 2 }).patienceMs, 60);
  assert.equal(createPool(['a:1']).patienceMs, 15_000);
});

test('the old name is unknown', () => {
  assert.throws(() => connect('p:1', { timeout: 3 }), /unknown option: timeout/);
});

test('nothing says timeout alone any more, but texts about timeouts stay', () => {
  for (const file of ['src/connect.js', 'src/pool.js']) assert.doesNotMatch(readFileSync(file, 'utf8'), /\btimeout\b/, file);
  const readme = readFileSync('README.md', 'utf8');
  assert.match(readme, /timeoutMs: 2000/);
  assert.match(readme, /`timeoutMs`\s*\|\s*5000/);
  assert.match(readme, /tried again after a timeout/);
});
