import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv } from '../src/csv.js';
import { importRecords } from '../src/import.js';

test('plain rows', () => {
  assert.deepEqual(parseCsv('a,b\n1,2\n'), [['a', 'b'], ['1', '2']]);
});

test('quotes', () => {
  assert.deepEqual(parseCsv('"a,b","say ""hi"""'), [['a,b', 'say "hi"']]);
});

test('a line break in quotes is part of the cell', () => {
  assert.deepEqual(parseCsv('id,note\n1,"first line\nsecond line"\n2,x\n'), [
    ['id', 'note'],
    ['1', 'first line\nsecond line'],
    ['2', 'x'],
  ]);
});

test('records', () => {
  assert.deepEqual(importRecords('Name, City\r\nAda,London\r\n\r\nAlan\r\n'), [
    { name: 'Ada', city: 'London' },
    { name: 'Alan', city: '' },
  ]);
});
