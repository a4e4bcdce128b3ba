import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build } from '../src/build.js';
import { stages } from '../src/plan.js';
import { readPackages } from '../src/read.js';

test('reads packages', () => {
  assert.deepEqual(readPackages('# all\napp: core http\ncore:\n'), [{ name: 'app', needs: ['core', 'http'] }, { name: 'core' }]);
});

test('builds what is needed first', async () => {
  assert.deepEqual(await build('app: core http\ncore:\nhttp: core\n', async () => {}), ['core', 'http', 'app']);
});

test('stages', () => {
  const packages = [{ name: 'a' }, { name: 'b', needs: ['a'] }, { name: 'c' }];
  assert.deepEqual(stages(packages, ['a', 'b', 'c']), [['a', 'c'], ['b']]);
});

test('orders', async () => {
  const { buildOrder } = await import('../src/order.js');
  assert.deepEqual(buildOrder([{ name: 'b' }, { name: 'a', needs: ['c'] }, { name: 'c' }]), ['b', 'c', 'a']);
  assert.throws(() => buildOrder([{ name: 'app', needs: ['http'] }]), { message: 'app needs http, which is not there' });
  assert.throws(
    () => buildOrder([{ name: 'a', needs: ['b'] }, { name: 'b', needs: ['c'] }, { name: 'c', needs: ['a'] }]),
    { message: 'circle: a -> b -> c -> a' },
  );
});
