import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineReport } from '../src/report.js';
import { formatTable } from '../src/table.js';

test('numbers to the right', () => {
  assert.equal(formatTable([{ a: 'x', n: 5 }, { a: 'long', n: 12.345 }], ['a', 'n']), 'a     n\n----  -----\nx         5\nlong  12.35');
});

test('a report', () => {
  assert.equal(machineReport([{ name: 'b', load: 1, up: true }, { name: 'a', load: 0.5, up: false }]), 'name  load  up\n----  ----  ---\na      0.5  no\nb        1  yes');
});

test('absent values are empty', () => {
  assert.equal(formatTable([{ a: 'x', b: 'y' }, { b: 'z' }], ['a', 'b']), 'a  b\n-  -\nx  y\n   z');
});
