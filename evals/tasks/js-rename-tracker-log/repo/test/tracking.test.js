import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logger } from '../src/logger.js';
import { createSession } from '../src/session.js';
import { Shop } from '../src/shop.js';
import { Tracker } from '../src/tracker.js';

test('a tracker records', () => {
  const tracker = new Tracker({ now: () => 5 });
  tracker.record('a', { x: 1 });
  tracker.recordMany(['b', 'c']);
  assert.deepEqual(tracker.flush(), [{ name: 'a', at: 5, x: 1 }, { name: 'b', at: 5 }, { name: 'c', at: 5 }]);
});

test('a shop records', () => {
  const tracker = new Tracker({ now: () => 1 });
  const logger = new Logger();
  new Shop({ tracker, logger }).buy('tea', 2);
  assert.deepEqual(logger.lines, ['sold 2 of tea']);
  assert.deepEqual(tracker.flush(), [{ name: 'bought', at: 1, item: 'tea', count: 2 }]);
});

test('a session records', () => {
  const tracker = new Tracker({ now: () => 1 });
  createSession('ann', tracker).end();
  assert.equal(tracker.flush().length, 2);
});
