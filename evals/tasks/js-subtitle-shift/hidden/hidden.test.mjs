import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shift, shiftText } from './src/shift.js';
import { formatTime } from './src/time.js';

const cues = () => [
  { number: 1, start: 0, end: 1000, lines: ['a'] },
  { number: 2, start: 1500, end: 3000, lines: ['b', 'c'] },
  { number: 3, start: 2000, end: 6000, lines: ['d'] },
  { number: 4, start: 7000, end: 8000, lines: ['e'] },
];

test('ends exactly at 0', () => {
  assert.deepEqual(shift(cues(), -3000), [
    { number: 1, start: 0, end: 3000, lines: ['d'] },
    { number: 2, start: 4000, end: 5000, lines: ['e'] },
  ]);
});

test('one millisecond left', () => {
  assert.deepEqual(
    shift(cues(), -2999).map((cue) => [cue.number, cue.start, cue.end]),
    [[1, 0, 1], [2, 0, 3001], [3, 4001, 5001]],
  );
});

test('starts exactly at 0', () => {
  assert.deepEqual(
    shift(cues(), -1500).map((cue) => [cue.number, cue.start, cue.end]),
    [[1, 0, 1500], [2, 500, 4500], [3, 5500, 6500]],
  );
});

test('all gone', () => {
  assert.deepEqual(shift(cues(), -8000), []);
  assert.equal(shiftText('1\n00:00:01,000 --> 00:00:02,000\nx\n', -2000), '');
});

test('later, and not at all', () => {
  assert.deepEqual(shift(cues(), 0), cues());
  assert.deepEqual(
    shift(cues(), 10).map((cue) => [cue.number, cue.start, cue.end]),
    [[1, 10, 1010], [2, 1510, 3010], [3, 2010, 6010], [4, 7010, 8010]],
  );
  assert.equal(formatTime(3723004), '01:02:03,004');
});

test('the cues that were given stay as they were', () => {
  const given = cues();
  shift(given, -2000);
  assert.deepEqual(given, cues());
});
