import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv } from './src/csv.js';
import { importRecords } from './src/import.js';

test('line breaks in quotes', () => {
  assert.deepEqual(parseCsv('a,"x\ny\nz",b\nc'), [['a', 'x\ny\nz', 'b'], ['c']]);
  assert.deepEqual(parseCsv('"one\n\ntwo"\n'), [['one\n\ntwo']]);
  assert.deepEqual(parseCsv('"\n"'), [['\n']]);
});

test('doubled quotes next to line breaks', () => {
  assert.deepEqual(parseCsv('"say ""hi""\nbye",1\n2,3'), [['say "hi"\nbye', '1'], ['2', '3']]);
  assert.deepEqual(parseCsv('"""\n""",x'), [['"\n"', 'x']]);
});

test('windows line ends split rows and stay in cells', () => {
  assert.deepEqual(parseCsv('a,b\r\n"c\r\nd",e\r\n'), [['a', 'b'], ['c\r\nd', 'e']]);
});

test('what worked still works', () => {
  assert.deepEqual(parseCsv(''), []);
  assert.deepEqual(parseCsv('\n\na\n\n'), [['a']]);
  assert.deepEqual(parseCsv('a,,b\n,\n'), [['a', '', 'b'], ['', '']]);
  assert.deepEqual(parseCsv('""\n'), [['']]);
  assert.deepEqual(parseCsv('"open,1'), [['open,1']]);
  assert.deepEqual(importRecords('Id,Note\n7,"l1\nl2"'), [{ id: '7', note: 'l1\nl2' }]);
});
