import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellText } from './src/cell.js';
import { machineReport } from './src/report.js';
import { formatTable } from './src/table.js';

test('absent values', () => {
  assert.equal(formatTable([{ a: null, b: 'y' }, { a: 'x' }], ['a', 'b']), 'a  b\n-  -\n   y\nx');
  assert.equal(formatTable([{}], ['one', 'two']), 'one  two\n---  ---\n');
  assert.equal(cellText(undefined), '');
  assert.equal(cellText(null), '');
  assert.equal(machineReport([{ name: 'a', up: false }]), 'name  load  up\n----  ----  --\na           no');
});

test('values that are falsy but there', () => {
  assert.equal(cellText(0), '0');
  assert.equal(cellText(false), 'no');
  assert.equal(cellText(''), '');
  assert.equal(formatTable([{ n: 0, b: false }], ['n', 'b']), 'n  b\n-  --\n0  no');
});
