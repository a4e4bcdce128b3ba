import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill } from './src/fill.js';
import { report } from './src/report.js';

test('any order of the stock', () => {
  const sizes = [{ size: 90, count: 5 }, { size: 1000, count: 1 }, { size: 400, count: 2 }];
  for (const order of [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]) {
    const stock = order.map((i) => ({ ...sizes[i] }));
    const before = structuredClone(stock);
    assert.deepEqual(fill(2000, stock), {
      jars: [{ size: 1000, count: 1 }, { size: 400, count: 2 }, { size: 90, count: 2 }],
      left: 20,
    });
    assert.deepEqual(stock, before);
  }
});

test('sizes of which there are none', () => {
  const stock = [{ size: 500, count: 0 }, { size: 250, count: 1 }, { size: 125, count: 8 }];
  assert.deepEqual(fill(500, stock), { jars: [{ size: 250, count: 1 }, { size: 125, count: 2 }], left: 0 });
});

test('too few jars', () => {
  const stock = [{ size: 500, count: 1 }, { size: 250, count: 2 }];
  assert.deepEqual(fill(5000, stock), { jars: [{ size: 500, count: 1 }, { size: 250, count: 2 }], left: 4000 });
  assert.deepEqual(stock, [{ size: 500, count: 1 }, { size: 250, count: 2 }]);
});

test('nothing to fill', () => {
  assert.deepEqual(fill(0, [{ size: 500, count: 1 }]), { jars: [], left: 0 });
  assert.deepEqual(fill(800, []), { jars: [], left: 800 });
  assert.equal(report(0, []), 'nothing left over');
});
