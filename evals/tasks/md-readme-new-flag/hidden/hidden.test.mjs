import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const readme = readFileSync('README.md', 'utf8');
const rows = readme.split('\n').filter((line) => /^\|\s*`--/.test(line)).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));

test('four rows, sorted', () => {
  assert.deepEqual(rows.map((row) => row[0]), ['`--format`', '`--out`', '`--quiet`', '`--width`']);
});

test('the new row fits the table', () => {
  const row = rows.find(([name]) => name === '`--quiet`');
  assert.equal(row.length, 4);
  assert.match(row[3], /error|nothing|silen|suppress|output|print/i);
  assert.doesNotMatch(row[1], /number|folder|text/);
  assert.doesNotMatch(row[2], /true/);
});

test('the other rows and sections stay', () => {
  assert.deepEqual(rows[0], ['`--format`', 'text', '`jpg`', 'kind of the small pictures']);
  assert.deepEqual(rows.at(-1), ['`--width`', 'number', '`160`', 'width in pixels']);
  assert.match(readme, /^# thumb\n/);
  assert.match(readme, /- 1: at least one failed; the others were made\n- 2: the command line was wrong/);
  assert.match(readme, /thumb --width 200 photos\/\*\.jpg/);
});
