import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importSubscribers } from '../src/import.js';
import { createList, isSubscribed, subscribe, unsubscribe } from '../src/list.js';

const addresses = (list) => list.subscribers.map((entry) => entry.address);

test('subscribes and unsubscribes', () => {
  const list = createList();
  assert.equal(subscribe(list, ' ann@example.org ', 'Ann'), true);
  assert.equal(subscribe(list, 'ann@example.org'), false);
  assert.equal(isSubscribed(list, 'ann@example.org'), true);
  assert.equal(unsubscribe(list, 'bob@example.org'), false);
  assert.equal(unsubscribe(list, 'ann@example.org'), true);
  assert.deepEqual(list.subscribers, []);
  assert.throws(() => subscribe(list, 'ann'), /not an address/);
});

test('nobody is on the list twice', () => {
  const list = createList();
  subscribe(list, 'Ann@Example.org');
  assert.equal(subscribe(list, 'ann@example.org'), false);
  assert.deepEqual(addresses(list), ['Ann@Example.org']);
});

test('unsubscribes with other capitals', () => {
  const list = createList([{ address: 'Ann@Example.org', name: 'Ann' }]);
  assert.equal(unsubscribe(list, 'ann@EXAMPLE.org'), true);
  assert.deepEqual(list.subscribers, []);
});

test('imports', () => {
  const list = createList([{ address: 'Ann@example.org', name: 'Ann' }]);
  const counts = importSubscribers(list, 'address;name\nann@example.org;Ann\nBob@example.org; Bob\n');
  assert.deepEqual(counts, { added: 1, known: 1 });
  assert.deepEqual(addresses(list), ['Ann@example.org', 'Bob@example.org']);
});
