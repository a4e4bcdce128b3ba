import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as lib from './lib/index.js';

test('the new name works and counts as before', () => {
  assert.deepEqual(Object.keys(lib).sort(), ['counters', 'range', 'readTide']);
  assert.deepEqual(lib.readTide('Emden'), { high: 290, low: 35 });
  assert.equal(lib.range('husum'), 272);
  assert.equal(lib.counters.get('fetchTide.calls'), 2);
  assert.deepEqual([...lib.counters.keys()], ['fetchTide.calls']);
  assert.throws(() => lib.readTide('x'), /readTide: unknown harbour x/);
});

test('the program', () => {
  assert.equal(execFileSync('node', ['bin/tide.js', 'emden'], { encoding: 'utf8' }), 'high 290 cm, low 35 cm\n');
});

test('the old name is left in the counter alone', () => {
  for (const file of ['lib/tide.js', 'lib/index.js', 'lib/range.js', 'bin/tide.js', 'docs/api.md'])
    assert.doesNotMatch(readFileSync(file, 'utf8').replaceAll('fetchTide.calls', ''), /fetchTide/, file);
  assert.equal(readFileSync('docs/api.md', 'utf8').split('readTide').length, 3);
});
