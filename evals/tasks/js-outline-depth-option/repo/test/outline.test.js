'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const guide = require('../examples/guide.json');
const { parseArgs } = require('../src/args.js');
const { renderTree } = require('../src/tree.js');

test('everything', () => {
  assert.equal(renderTree(guide, { ascii: true }), 'Guide\n- Start\n  - Install\n    - Linux\n- Help');
});

test('depth', () => {
  assert.equal(renderTree(guide, { depth: 1 }), 'Guide\n* Start\n* Help');
  assert.equal(renderTree(guide, { depth: 2 }), 'Guide\n* Start\n  * Install\n* Help');
});

test('arguments', () => {
  const options = parseArgs(['--depth', '2', 'guide.json']);
  assert.equal(options.depth, 2);
  assert.equal(options.file, 'guide.json');
  assert.throws(() => parseArgs(['--depth', 'two', 'guide.json']), Error);
  assert.throws(() => parseArgs(['--bold', 'guide.json']), /unknown option: --bold/);
});
