import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill } from '../src/fill.js';
import { report } from '../src/report.js';
import { parseStock } from '../src/stock.js';

const stock = () => parseStock('250 g: 10\n1000 g: 2\n500 g: 3\n');

test('the biggest jars first', () => {
  assert.deepEqual(fill(2750, stock()), {
    jars: [
      { size: 1000, count: 2 },
      { size: 500, count: 1 },
      { size: 250, count: 1 },
    ],
    left: 0,
  });
});

test('not more jars than there are', () => {
  assert.deepEqual(fill(4100, stock()), {
    jars: [
      { size: 1000, count: 2 },
      { size: 500, count: 3 },
      { size: 250, count: 2 },
    ],
    left: 100,
  });
});

test('sizes that are not used are not listed', () => {
  assert.deepEqual(fill(1300, stock()), {
    jars: [
      { size: 1000, count: 1 },
      { size: 250, count: 1 },
    ],
    left: 50,
  });
  assert.deepEqual(fill(100, stock()), { jars: [], left: 100 });
});

test('the stock stays as it was', () => {
  const mine = stock();
  fill(4100, mine);
  assert.deepEqual(mine, stock());
});

test('the report', () => {
  assert.equal(report(1300, stock()), '1 x 1000 g\n1 x 250 g\nleft over: 50 g');
  assert.equal(report(500, stock()), '1 x 500 g\nnothing left over');
});
