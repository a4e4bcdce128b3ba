import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../src/logger.js';

function record(options) {
  const lines = [];
  return { lines, logger: createLogger({ ...options, write: (line) => lines.push(line) }) };
}

test('errors are written', () => {
  const { lines, logger } = record({ level: 'info' });
  logger.error('broken', { code: 7 });
  assert.deepEqual(lines, ['ERROR broken code=7']);
});

test('what is below is not written', () => {
  const { lines, logger } = record({ level: 'warn' });
  logger.info('hello');
  assert.deepEqual(lines, []);
});

test('the level itself is written', () => {
  const { lines, logger } = record({ level: 'warn' });
  logger.warn('hot');
  logger.error('fire');
  assert.deepEqual(lines, ['WARN hot', 'ERROR fire']);
});

test('children have names', () => {
  const { lines, logger } = record({ level: 'debug' });
  logger.child('db').child('pool').error('full');
  assert.deepEqual(lines, ['ERROR [db.pool] full']);
});
