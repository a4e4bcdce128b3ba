import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHandler } from './src/handler.js';
import { importLines } from './src/import.js';
import { Links } from './src/links.js';
import { top, unused } from './src/stats.js';
import { MemoryStore } from './src/store.js';

/** Answers later, as a database does. */
class SlowStore {
  #inner = new MemoryStore();
  async #later(action) {
    await new Promise((resolve) => setImmediate(resolve));
    return action();
  }
  get(key) { return this.#later(() => this.#inner.get(key)); }
  set(key, value) { return this.#later(() => this.#inner.set(key, value)); }
  delete(key) { return this.#later(() => this.#inner.delete(key)); }
  keys(prefix) { return this.#later(() => this.#inner.keys(prefix)); }
}

test('the memory store', async () => {
  const store = new MemoryStore();
  for (const result of [store.get('x'), store.set('x', 1), store.delete('y'), store.keys()]) assert.ok(result instanceof Promise);
  assert.deepEqual(await store.keys('x'), ['x']);
  assert.equal(await store.delete('x'), true);
  await assert.rejects(async () => store.set(7, 1), TypeError);
});

test('links on a slow store', async () => {
  const links = new Links(new SlowStore());
  const one = await links.create('https://a.example/');
  const two = await links.create('https://b.example/');
  assert.notEqual(one, two);
  assert.equal(await links.create('https://a.example/'), one);
  assert.equal(await links.remove(one), true);
  assert.equal(await links.remove(one), false);
  assert.equal(await links.follow(one), undefined);
  assert.equal(await links.follow(two), 'https://b.example/');
  await assert.rejects(async () => links.create('nothing'), /not an address/);
});

test('statistics', async () => {
  const store = new SlowStore();
  const links = new Links(store);
  const codes = [];
  for (const name of ['a', 'b', 'c', 'd']) codes.push(await links.create(`https://${name}.example/`));
  await links.follow(codes[2]);
  await links.follow(codes[2]);
  await links.follow(codes[1]);
  assert.deepEqual(await top(store, 2), [{ code: codes[2], hits: 2 }, { code: codes[1], hits: 1 }]);
  assert.equal(await unused(store), 2);
});

test('requests', async () => {
  const handle = createHandler(new SlowStore());
  assert.deepEqual(await handle({ method: 'POST', path: '/links', body: 'x' }), { status: 400, body: 'not an address: x' });
  const { status, body } = await handle({ method: 'POST', path: '/links', body: 'https://a.example/' });
  assert.equal(status, 201);
  assert.equal(typeof body, 'string');
  await handle({ method: 'GET', path: `/${body}` });
  assert.deepEqual(await handle({ method: 'GET', path: '/top' }), { status: 200, body: [{ code: body, hits: 1 }] });
  assert.deepEqual(await handle({ method: 'DELETE', path: `/${body}` }), { status: 204 });
  assert.deepEqual(await handle({ method: 'DELETE', path: `/${body}` }), { status: 404 });
});

test('an import is in order and whole when it is done', async () => {
  const store = new SlowStore();
  const { created, failed } = await importLines('https://a.example/\nbad\nhttps://b.example/\nhttps://a.example/\n', store);
  assert.equal(created.length, 3);
  assert.equal(created[0], created[2]);
  assert.notEqual(created[0], created[1]);
  assert.deepEqual(failed, ['bad']);
  assert.equal((await store.keys('link:')).length, 2);
});
