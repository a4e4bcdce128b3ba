import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock, pause, press, start } from '../src/clock.js';
import { showClock, showTime } from '../src/display.js';

test('time runs for the active player', () => {
  const clock = createClock({ minutes: 5 });
  start(clock, 0);
  press(clock, 10_000);
  press(clock, 25_000);
  assert.deepEqual(clock.left, { white: 290_000, black: 285_000 });
  assert.deepEqual(clock.moves, { white: 1, black: 1 });
});

test('the increment is for the player who has moved', () => {
  const clock = createClock({ minutes: 5, increment: 3 });
  start(clock, 0);
  press(clock, 10_000);
  assert.equal(showClock(clock), '4:53 | *5:00');
});

test('a pause costs nothing', () => {
  const clock = createClock({ minutes: 1 });
  start(clock, 0);
  pause(clock, 5000);
  start(clock, 60_000);
  press(clock, 61_000);
  assert.deepEqual(clock.left, { white: 54_000, black: 60_000 });
});

test('shows tenths at the end', () => {
  assert.equal(showTime(9400), '0:09.4');
  assert.equal(showTime(60_000), '1:00');
});
