import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Logger } from './src/logger.js';
import { relay } from './src/plugins/relay.js';
import { timed } from './src/plugins/timing.js';
import { slowdown } from './src/rates.js';
import { createSession } from './src/session.js';
import { Shop } from './src/shop.js';
import { Tracker } from './src/tracker.js';

test('the tracker', () => {
  const tracker = new Tracker({ now: () => 5 });
  assert.equal(tracker.log, undefined);
  assert.equal(tracker.logMany, undefined);
  tracker.recordMany(['b', 'c'], { y: 2 });
  assert.deepEqual(tracker.flush(), [{ name: 'b', at: 5, y: 2 }, { name: 'c', at: 5, y: 2 }]);
  assert.throws(() => tracker.record(''), /event needs a name/);
});

test('the logger keeps its names', () => {
  const logger = new Logger();
  logger.log('a');
  logger.warn('b');
  assert.deepEqual(logger.lines, ['a', 'warning: b']);
  assert.equal(logger.record, undefined);
  assert.equal(slowdown(0), 0);
});

test('all callers', () => {
  const tracker = new Tracker({ now: () => 0 });
  const logger = new Logger();
  const shop = new Shop({ tracker, logger });
  assert.equal(shop.buy('tea', 0), false);
  shop.buy('tea', 20);
  assert.deepEqual(logger.lines, ['refused: 0 of tea', 'sold 20 of tea', 'warning: many sales']);
  const session = createSession('ann', tracker);
  session.visit('home', 'cart');
  session.end();
  let ms = 0;
  assert.equal(timed(tracker, 'add', (a, b) => a + b, { now: () => (ms += 4) })(1, 2), 3);
  assert.deepEqual(tracker.flush().map(({ name }) => name), ['refused', 'bought', 'session.begin', 'page.home', 'page.cart', 'session.end', 'timing.add']);
  createSession('bob').end();
});

test('a relay', () => {
  const trackers = [new Tracker(), new Tracker()];
  const all = relay(...trackers);
  all.record('x');
  all.recordMany(['y', 'z']);
  assert.equal(all.log, undefined);
  for (const tracker of trackers) assert.deepEqual(tracker.flush().map(({ name }) => name), ['x', 'y', 'z']);
});

test('the docs', () => {
  const text = readFileSync('docs/tracking.md', 'utf8');
  assert.match(text, /tracker\.record\('opened'/);
  assert.match(text, /tracker\.recordMany\(/);
  assert.match(text, /logger\.log\('text'\)/);
  assert.doesNotMatch(text, /tracker\.log/);
});
