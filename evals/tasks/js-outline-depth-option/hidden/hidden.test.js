'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { test } = require('node:test');
const guide = require('./examples/guide.json');
const { parseArgs } = require('./src/args.js');
const { renderTree } = require('./src/tree.js');

const run = (...args) => spawnSync(process.execPath, ['bin/outline.js', ...args], { encoding: 'utf8' });
const ALL = 'Guide\n* Start\n  * Install\n    * Linux\n* Help';

test('each depth', () => {
  assert.equal(renderTree(guide, { depth: 1, ascii: true }), 'Guide\n- Start\n- Help');
  assert.equal(renderTree(guide, { depth: 3 }), ALL);
  assert.equal(renderTree(guide, { depth: 10 }), ALL);
  assert.equal(renderTree(guide), ALL);
});

test('arguments', () => {
  assert.equal(parseArgs(['a.json', '--depth', '12']).depth, 12);
  assert.equal(parseArgs(['a.json', '--depth', '12']).file, 'a.json');
  assert.equal(parseArgs(['--depth', '1', '--ascii', 'a.json']).ascii, true);
  for (const bad of ['0', '-1', '1.5', '2x', 'x']) assert.throws(() => parseArgs(['a.json', '--depth', bad]), Error, bad);
  assert.throws(() => parseArgs(['a.json', '--depth']), Error);
  assert.throws(() => parseArgs(['--depth', '2']), /no file/);
});

test('the command', () => {
  assert.equal(run('examples/guide.json').stdout, ALL + '\n');
  assert.equal(run('--depth', '2', 'examples/guide.json').stdout, 'Guide\n* Start\n  * Install\n* Help\n');
  assert.equal(run('--depth', '0', 'examples/guide.json').status, 1);
});
