import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock, pause, press, start } from './src/clock.js';
import { showClock } from './src/display.js';

test('each player gets the own increment', () => {
  const clock = createClock({ minutes: 3, increment: 2 });
  start(clock, 1000);
  press(clock, 6000);
  assert.deepEqual(clock.left, { white: 177_000, black: 180_000 });
  press(clock, 16_000);
  assert.deepEqual(clock.left, { white: 177_000, black: 172_000 });
  press(clock, 17_000);
  assert.deepEqual(clock.left, { white: 178_000, black: 172_000 });
  assert.deepEqual(clock.moves, { white: 2, black: 1 });
  assert.equal(clock.active, 'black');
  assert.equal(showClock(clock), '2:58 | *2:52');
});

test('who is out of time has lost and gets nothing', () => {
  const clock = createClock({ minutes: 1, increment: 10 });
  start(clock, 0);
  press(clock, 1000);
  press(clock, 62_000);
  assert.equal(clock.lost, 'black');
  assert.deepEqual(clock.left, { white: 69_000, black: 0 });
  assert.throws(() => press(clock, 63_000), /not running/);
  assert.throws(() => start(clock, 63_000), /over/);
});

test('no increment, and none for a pause', () => {
  const plain = createClock({ minutes: 1 });
  start(plain, 0);
  press(plain, 1000);
  assert.deepEqual(plain.left, { white: 59_000, black: 60_000 });
  const clock = createClock({ minutes: 1, increment: 5 });
  start(clock, 0);
  pause(clock, 2000);
  pause(clock, 9000);
  assert.deepEqual(clock.left, { white: 58_000, black: 60_000 });
});
