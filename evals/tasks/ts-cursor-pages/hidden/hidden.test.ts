import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAll } from './src/client.ts';
import { digest } from './src/digest.ts';
import { listMessages } from './src/list.ts';
import { messagesRoute } from './src/route.ts';
import { MessageStore } from './src/store.ts';

function board(count: number): MessageStore {
  const store = new MessageStore();
  for (let i = 1; i <= count; i += 1) store.add('ann', `m${i}`);
  return store;
}
const ids = (page: { items: { id: number }[] }): number[] => page.items.map(({ id }) => id);

test('pages', () => {
  const store = board(5);
  assert.deepEqual(listMessages(store, { limit: 5 }).items, store.newestFirst());
  for (const limit of [5, 9]) assert.equal(listMessages(store, { limit }).next, undefined);
  assert.equal(listMessages(store, { limit: 4 }).next, 2);
  assert.deepEqual(ids(listMessages(store, { limit: 2, after: 3 })), [2, 1]);
  assert.equal(listMessages(store, { limit: 2, after: 3 }).next, undefined);
  assert.deepEqual(ids(listMessages(store, { after: 1 })), []);
  assert.deepEqual(ids(listMessages(new MessageStore())), []);
});

test('after a message that is gone', () => {
  const store = board(6);
  store.remove(4);
  store.remove(3);
  assert.deepEqual(ids(listMessages(store, { limit: 2, after: 4 })), [2, 1]);
  assert.deepEqual(ids(listMessages(store, { limit: 1, after: 6 })), [5]);
  assert.deepEqual(ids(listMessages(store, { after: 99 })), [6, 5, 2, 1]);
});

test('limits', () => {
  const store = board(150);
  assert.equal(listMessages(store).items.length, 20);
  assert.equal(listMessages(store, { limit: 500 }).items.length, 100);
  assert.equal(listMessages(store, { limit: 500 }).next, 51);
});

test('the route', () => {
  const store = board(30);
  for (const query of ['after=x', 'after=-1', 'after=1.5', 'after=', 'limit=0', 'limit=a']) assert.equal(messagesRoute(store, `/messages?${query}`).status, 400, query);
  const { status, body } = messagesRoute(store, '/messages');
  assert.equal(status, 200);
  const { items, next, ...rest } = JSON.parse(JSON.stringify(body)) as { items: { id: number }[]; next: number };
  assert.equal(items[0]?.id, 30);
  assert.equal(next, 11);
  assert.deepEqual(rest, {});
});

test('the client misses nothing when messages come and go', async () => {
  const store = board(10);
  let calls = 0;
  const all = await readAll(async (address) => {
    const answer = messagesRoute(store, address);
    calls += 1;
    assert.ok(calls <= 10, 'the client does not come to an end');
    store.add('bob', 'later');
    if (calls === 1) store.remove(8);
    return JSON.parse(JSON.stringify(answer)) as typeof answer;
  }, 3);
  assert.deepEqual(all.map(({ id }) => id), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  await assert.rejects(readAll(async () => ({ status: 500, body: {} })), /answers 500/);
});

test('the digest', () => {
  assert.deepEqual(digest(board(3), 2), ['ann: m3', 'ann: m2', '…']);
  assert.deepEqual(digest(board(2), 2), ['ann: m2', 'ann: m1']);
});
