import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latest, sortReleases } from './src/releases.js';
import { compareVersions } from './src/version.js';

test('a whole chain in order', () => {
  const chain = ['1.0.0-1', '1.0.0-2', '1.0.0-11', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.1-0', '1.0.1'];
  for (let i = 0; i < chain.length; i += 1) {
    for (let j = 0; j < chain.length; j += 1) {
      assert.equal(Math.sign(compareVersions(chain[i], chain[j])), Math.sign(i - j), `${chain[i]} and ${chain[j]}`);
    }
  }
});

test('mixed parts stay text', () => {
  assert.ok(compareVersions('1.0.0-x10', '1.0.0-x9') < 0);
  assert.ok(compareVersions('1.0.0-9', '1.0.0-9a') < 0);
});

test('the lists', () => {
  assert.deepEqual(sortReleases(['1.0.0-rc.2', '1.0.0-rc.10', 'x', '1.0.0']), ['1.0.0', '1.0.0-rc.10', '1.0.0-rc.2']);
  assert.equal(latest(['2.0.0-beta.9', '2.0.0-beta.10', '1.4.0']), '1.4.0');
  assert.throws(() => compareVersions('1.0.0', 'one'), /not a version: one/);
});
