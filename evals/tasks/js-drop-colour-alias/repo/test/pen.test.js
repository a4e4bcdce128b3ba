import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readArguments } from '../src/cli.js';
import { load } from '../src/load.js';

test('old files and options', () => {
  assert.equal(load('{"colour": "red"}').color, '#f00');
  assert.equal(readArguments(['--color', 'red']).color, '#f00');
});
