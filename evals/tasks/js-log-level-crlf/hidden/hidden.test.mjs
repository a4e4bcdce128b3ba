import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LEVELS, isShown } from './src/levels.js';
import { createLogger } from './src/logger.js';

test('each level shows itself and those above', () => {
  for (const [i, least] of LEVELS.entries()) {
    for (const [j, level] of LEVELS.entries()) assert.equal(isShown(level, least), j >= i, `${level} at ${least}`);
  }
});

test('the names stay', () => {
  assert.deepEqual(LEVELS, ['debug', 'info', 'warn', 'error']);
  assert.throws(() => isShown('trace', 'info'), /unknown level: trace/);
  assert.throws(() => isShown('info', 'loud'), /unknown level: loud/);
});

test('a logger', () => {
  const lines = [];
  const logger = createLogger({ write: (line) => lines.push(line) });
  logger.debug('a');
  logger.info('b', { x: 'y' });
  logger.child('c').warn('d');
  assert.deepEqual(lines, ['INFO b x="y"', 'WARN [c] d']);
});

test('the files keep their line ends', () => {
  for (const file of ['src/levels.js', 'src/logger.js', 'test/logger.test.js']) {
    const text = readFileSync(file, 'utf8');
    assert.equal(text.split('\r\n').length, text.split('\n').length, file);
  }
});
