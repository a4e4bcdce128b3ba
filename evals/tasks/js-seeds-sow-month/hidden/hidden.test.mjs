import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './src/cli.js';

test('each month', () => {
  const wanted = {
    1: 'Broad bean,Cornflower',
    2: 'Broad bean,Cornflower',
    3: 'Carrot,Chives,Cornflower,Radish',
    4: 'Basil,Carrot,Chives,Cornflower,Radish',
    5: 'Basil,Carrot,Marigold,Radish',
    8: 'Radish',
    9: 'Cornflower,Radish',
    10: 'Cornflower,Garlic',
    11: 'Broad bean,Cornflower,Garlic',
  };
  for (const [month, names] of Object.entries(wanted)) {
    assert.equal(run(['list', '--sow', month]), names.replaceAll(',', '\n'), month);
  }
});

test('with --kind', () => {
  assert.equal(run(['list', '--sow', '4', '--kind', 'herb']), 'Basil\nChives');
  assert.equal(run(['list', '--kind', 'flower', '--sow', '1']), 'Cornflower');
  assert.equal(run(['list', '--kind', 'herb', '--sow', '1']), 'nothing found');
});

test('bad months', () => {
  for (const month of ['0', '13', '-1', 'May', '4.5', '100']) {
    assert.throws(() => run(['list', '--sow', month]), { message: `bad month: ${month}` }, month);
  }
  assert.throws(() => run(['list', '--kind', 'tree', '--sow', '13']), { message: 'bad month: 13' });
});

test('the rest stays', () => {
  assert.equal(run(['list']).split('\n').length, 8);
  assert.equal(run(['show', 'Basil']), 'Basil (herb): sow Apr to Jun');
  assert.throws(() => run(['show', 'Basil', '--sow', '4']), /unknown option: --sow/);
  assert.throws(() => run(['list', '--sow']), /--sow needs a value/);
  assert.throws(() => run(['list', '--month', '4']), /unknown option: --month/);
});
