import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAll } from '../src/client.ts';
import { digest } from '../src/digest.ts';
import { listMessages } from '../src/list.ts';
import { messagesRoute } from '../src/route.ts';
import { MessageStore } from '../src/store.ts';

function board(count: number): MessageStore {
  const store = new MessageStore();
  for (let i = 1; i <= count; i += 1) store.add('ann', `m${i}`);
  return store;
}

test('pages by cursor', () => {
  const store = board(5);
  const first = listMessages(store, { limit: 2 });
  assert.deepEqual(first.items.map(({ id }) => id), [5, 4]);
  assert.equal(first.next, 4);
  store.add('bob', 'new');
  assert.deepEqual(listMessages(store, { limit: 2, after: first.next }).items.map(({ id }) => id), [3, 2]);
});

test('the route', () => {
  const { status, body } = messagesRoute(board(3), '/messages?after=3&limit=5');
  assert.equal(status, 200);
  assert.deepEqual((body as { items: { id: number }[] }).items.map(({ id }) => id), [2, 1]);
  assert.equal(messagesRoute(board(1), '/messages?after=x').status, 400);
});

test('the client', async () => {
  const store = board(7);
  let calls = 0;
  const all = await readAll(async (address) => {
    calls += 1;
    assert.ok(calls <= 10, 'the client does not come to an end');
    return messagesRoute(store, address);
  }, 3);
  assert.equal(all.length, 7);
});

test('the digest', () => {
  assert.deepEqual(digest(board(2), 5), ['ann: m2', 'ann: m1']);
});
