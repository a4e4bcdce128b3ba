import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHandler } from '../src/handler.js';
import { importLines } from '../src/import.js';
import { Links } from '../src/links.js';
import { MemoryStore } from '../src/store.js';

test('the store answers with promises', async () => {
  const store = new MemoryStore();
  const set = store.set('a', 1);
  assert.ok(set instanceof Promise);
  await set;
  assert.ok(store.get('a') instanceof Promise);
  assert.equal(await store.get('a'), 1);
  await assert.rejects(store.set(1, 1), TypeError);
});

test('links', async () => {
  const links = new Links(new MemoryStore());
  const code = await links.create('https://a.example/');
  assert.equal(await links.follow(code), 'https://a.example/');
  assert.equal(await links.create('https://a.example/'), code);
});

test('requests', async () => {
  const handle = createHandler(new MemoryStore());
  assert.equal((await handle({ method: 'POST', path: '/links', body: 'ftp://x' })).status, 400);
  const { body } = await handle({ method: 'POST', path: '/links', body: 'https://b.example/' });
  assert.deepEqual(await handle({ method: 'GET', path: `/${body}` }), { status: 302, location: 'https://b.example/' });
});

test('import', async () => {
  const { created, failed } = await importLines('https://a.example/\nnothing\n', new MemoryStore());
  assert.equal(created.length, 1);
  assert.deepEqual(failed, ['nothing']);
});
