import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readArguments } from './src/cli.js';
import * as all from './src/index.js';
import * as palette from './src/palette.js';

test('only the American names are left', () => {
  assert.deepEqual(Object.keys(all).sort(), ['color', 'gray', 'load']);
  assert.deepEqual(Object.keys(palette).sort(), ['color', 'gray']);
  assert.equal(all.gray(1), '#ffffff');
});

test('the option is refused, old files are read', () => {
  assert.throws(() => readArguments(['--colour', 'red']), /unknown option --colour/);
  assert.equal(readArguments(['--color', 'gray', '--width', '3']).color, '#888');
  assert.deepEqual(all.load('{"colour": "red", "width": 2}'), { width: 2, color: '#f00' });
  assert.equal(all.load('{"color": "gray"}').color, '#888');
});

test('the change is written down where it belongs', () => {
  const text = readFileSync('CHANGES.md', 'utf8');
  const [, three, two] = text.split(/^## /m);
  assert.match(three, /^- .*colour/m);
  assert.match(three, /width/);
  assert.match(two, /still work/);
});
