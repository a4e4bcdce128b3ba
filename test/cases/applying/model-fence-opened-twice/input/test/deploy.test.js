import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommand } from '../src/deploy.js';

test('defaults', () => {
  assert.deepEqual(readCommand(['shop']), { app: 'shop', env: {}, region: 'eu-1', force: false });
});

test('values behind a space', () => {
  assert.equal(readCommand(['--region', 'us-2', 'shop']).region, 'us-2');
  assert.deepEqual(readCommand(['-e', 'A=1', '-e', 'B=2', 'shop']).env, { A: '1', B: '2' });
});

test('values behind an equals sign', () => {
  assert.equal(readCommand(['--region=us-2', 'shop']).region, 'us-2');
  assert.deepEqual(readCommand(['--env=KEY=abc=', 'shop']).env, { KEY: 'abc=' });
});

test('unknown flags', () => {
  assert.throws(() => readCommand(['--regoin=us-2', 'shop']), /unknown flag: --regoin=us-2/);
});
