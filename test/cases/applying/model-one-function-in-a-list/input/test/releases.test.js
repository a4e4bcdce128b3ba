import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latest, sortReleases } from '../src/releases.js';
import { compareVersions } from '../src/version.js';

test('numbers are compared as numbers', () => {
  assert.ok(compareVersions('1.10.0', '1.9.3') > 0);
  assert.equal(compareVersions('v1.2.3', '1.2.3'), 0);
});

test('a release is newer than its pre-releases', () => {
  assert.ok(compareVersions('2.0.0', '2.0.0-rc.1') > 0);
  assert.ok(compareVersions('2.0.0-alpha', '2.0.0-beta') < 0);
});

test('numbers in pre-releases', () => {
  assert.ok(compareVersions('2.0.0-beta.10', '2.0.0-beta.9') > 0);
  assert.equal(latest(['2.0.0-beta.9', '2.0.0-beta.10', '1.4.0'], { pre: true }), '2.0.0-beta.10');
});

test('sorts and leaves out what is no version', () => {
  assert.deepEqual(sortReleases(['1.0.0', 'nightly', '1.2.0']), ['1.2.0', '1.0.0']);
  assert.equal(latest(['1.0.0', '2.0.0-rc.1']), '1.0.0');
});
