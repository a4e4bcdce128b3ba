import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build } from './src/build.js';
import { buildOrder } from './src/order.js';
import { stages } from './src/plan.js';

const of = (text) => text.split('; ').map((line) => { const [name, needs] = line.split(':'); return needs ? { name, needs: needs.trim().split(' ') } : { name }; });

test('the first that is ready comes next', () => {
  assert.deepEqual(buildOrder(of('z; a; m')), ['z', 'a', 'm']);
  assert.deepEqual(buildOrder(of('a: d; b; c: a; d; e')), ['b', 'd', 'a', 'c', 'e']);
  assert.deepEqual(buildOrder(of('a: x y; b: y; x; y')), ['x', 'y', 'a', 'b']);
  assert.deepEqual(buildOrder([]), []);
});

test('a need that is named twice', () => {
  assert.deepEqual(buildOrder(of('a: b b; b')), ['b', 'a']);
});

test('circles', () => {
  const message = (text) => { try { buildOrder(of(text)); } catch (error) { return error.message; } };
  assert.equal(message('a: a'), 'circle: a -> a');
  assert.equal(message('top: b; a: b; b: c; c: a'), 'circle: a -> b -> c -> a');
  assert.equal(message('x; b: a; a: b'), 'circle: b -> a -> b');
  assert.equal(message('start: leaf c; leaf; d: c; c: d'), 'circle: d -> c -> d');
});

test('what is not there', () => {
  assert.throws(() => buildOrder(of('a; b: a q')), { message: 'b needs q, which is not there' });
});

test('the input stays as it is, and may be long', () => {
  const packages = of('a: b; b');
  const copy = structuredClone(packages);
  buildOrder(packages);
  assert.deepEqual(packages, copy);
  const chain = Array.from({ length: 400 }, (_, i) => (i < 399 ? { name: `p${i}`, needs: [`p${i + 1}`] } : { name: `p${i}` }));
  assert.deepEqual(buildOrder(chain).slice(0, 2), ['p399', 'p398']);
});

test('build and stages', async () => {
  const seen = [];
  await build('app: core\ncore: base\nbase:\n', async (name) => seen.push(name));
  assert.deepEqual(seen, ['base', 'core', 'app']);
  await assert.rejects(build('a: b\n', async () => {}), /a needs b/);
  const packages = of('a: d; b; c: a; d');
  assert.deepEqual(stages(packages, buildOrder(packages)), [['b', 'd'], ['a'], ['c']]);
});
