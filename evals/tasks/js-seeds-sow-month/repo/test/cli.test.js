import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../src/cli.js';

test('list', () => {
  assert.equal(run(['list', '--kind', 'herb']), 'Basil\nChives');
  assert.equal(run(['list', '--kind', 'tree']), 'nothing found');
});

test('show', () => {
  assert.equal(run(['show', 'garlic']), 'Garlic (vegetable): sow Oct to Dec');
});

test('list --sow', () => {
  assert.equal(run(['list', '--sow', '6']), 'Basil\nCarrot\nRadish');
  assert.equal(run(['list', '--sow', '12']), 'Broad bean\nCornflower\nGarlic');
});

test('list --sow with a bad month', () => {
  assert.throws(() => run(['list', '--sow', '13']), { message: 'bad month: 13' });
});
